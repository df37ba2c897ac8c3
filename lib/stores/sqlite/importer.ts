import type { DatabaseSync } from "node:sqlite";
import type { ImportChunk, KnownChunk, PetImporter } from "../pet_importer.ts";
import { statusCode } from "../status_code.ts";
import { explained } from "./errors.ts";
import { openDatabase } from "./open.ts";
import { FileWatch } from "./schema.ts";
import { INSERT_CHUNK, insertPets, SELECT_FOLLOWERS } from "./statements.ts";
import { begin, commit, prepareExact } from "./transaction.ts";

const LOCK_TIMEOUT = 5_000;

/** Pages of the log after which it is copied into the file. The default of 1,000 would sync the disk for most chunks. */
const CHECKPOINT = 8_000;

const ROWS = 100;

/** Creates or migrates the file as a store does. */
export function openSqliteImporter(path: string): PetImporter {
  const opened = openDatabase(path);
  const { db } = opened;
  const watch = new FileWatch(opened, path);
  db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT}`);
  const followers = (parent: string) => db.prepare(SELECT_FOLLOWERS).all(parent) as unknown as KnownChunk[];
  return {
    isNew: opened.isNew,
    followers: (parent) => explained(path, () => followers(parent)),
    add: (chunk, known) =>
      explained(path, () => {
        begin(db, LOCK_TIMEOUT);
        return commit(db, () => {
          watch.requireWritable();
          const isNew = followers(chunk.parent).length === known;
          if (isNew) insertChunk(db, chunk);
          return isNew;
        });
      }),
    close() {
      try {
        watch.requireInPlace();
      } catch {
        // Closing would delete the log of that name, which may belong to another database. The process ends soon.
        return;
      }
      db.close();
    },
  };
}

function insertChunk(db: DatabaseSync, { parent, digest, records, pets }: ImportChunk): void {
  const many = prepareExact(db, insertPets(ROWS));
  for (let i = 0; i < pets.length;) {
    const rows = pets.slice(i, i += ROWS);
    const statement = rows.length === ROWS ? many : prepareExact(db, insertPets(rows.length));
    statement.run(...rows.flatMap(({ name, categoryId, status }) => [name, categoryId, statusCode(status)]));
  }
  prepareExact(db, INSERT_CHUNK).run(parent, digest, records, pets.length, Date.now());
}
