import type { KnownChunk, PetImporter } from "../pet_importer.ts";
import { explained } from "./errors.ts";
import { Transactions } from "./insert.ts";
import { openDatabase } from "./open.ts";
import { FileWatch } from "./file_watch.ts";
import { INSERT_CHUNK, SELECT_FOLLOWERS } from "./statements.ts";
import { begin, commit, prepareExact } from "./transaction.ts";

const LOCK_TIMEOUT = 5_000;

/** Pages of the log after which it is copied into the file. The default of 1,000 would sync the disk for most chunks. */
const CHECKPOINT = 8_000;

/** Creates or migrates the file as a store does. */
export function openSqliteImporter(path: string): PetImporter {
  const opened = openDatabase(path);
  const { db } = opened;
  const watch = new FileWatch(opened, path), transactions = new Transactions(db, watch);
  db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT}`);
  const followers = (parent: string) => db.prepare(SELECT_FOLLOWERS).all(parent) as unknown as KnownChunk[];
  return {
    isNew: opened.isNew,
    followers: (parent) => explained(path, () => followers(parent)),
    add: ({ parent, digest, records, pets }, known) =>
      explained(path, () => {
        begin(db, LOCK_TIMEOUT);
        return commit(db, () => {
          watch.requireWritable();
          const isNew = followers(parent).length === known;
          if (!isNew) return false;
          transactions.apply(pets.map((pet) => ({ kind: "create", pet })));
          prepareExact(db, INSERT_CHUNK).run(parent, digest, records, pets.length, Date.now());
          return true;
        });
      }),
    close: () => watch.close(),
  };
}
