/** Imports many pets into a file that servers may be using. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ImportChunk, KnownChunk, PetImporter } from "../pet_importer.ts";
import { statusCode } from "../status_code.ts";
import { type PetDraft, StoreUnavailableError } from "../store.ts";
import { isBusy } from "./errors.ts";
import type { DatabaseFiles } from "./file.ts";
import { explain, openDatabase, setBusyTimeout } from "./open.ts";
import { rollback, SchemaWatch } from "./schema.ts";
import { INSERT_CHUNK, insertPets, SELECT_FOLLOWERS, SELECT_ONE } from "./statements.ts";

/** The time limit for the write lock, and the pause between two attempts, in milliseconds. */
const LOCK_TIMEOUT = 5_000, RETRY_PAUSE = 0.5;

/** Pages of the log after which it is copied into the file. The default of 1,000 would sync the disk for most chunks. */
const CHECKPOINT = 8_000;

/** How many rows one statement inserts. Twice as many are hardly faster. */
const ROWS = 100;

/**
 * Opens an importer, and creates or migrates the file as a store does.
 *
 * @throws {StoreUnavailableError} If the file cannot be used.
 */
export function openSqliteImporter(path: string): PetImporter {
  const { db, files } = openDatabase(path);
  return new SqliteImporter(db, files, path);
}

class SqliteImporter implements PetImporter {
  readonly #db: DatabaseSync;
  readonly #files: DatabaseFiles | undefined;
  readonly #schema: SchemaWatch;
  readonly #path: string;
  readonly #insertMany: StatementSync;
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));

  constructor(db: DatabaseSync, files: DatabaseFiles | undefined, path: string) {
    this.#db = db;
    this.#files = files;
    this.#path = path;
    this.#schema = new SchemaWatch(db, path);
    this.#insertMany = db.prepare(insertPets(ROWS));
    db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT}`);
  }

  isEmpty(): boolean {
    return this.#explainErrors(() => this.#db.prepare(SELECT_ONE).get() === undefined);
  }

  followers(parent: string): KnownChunk[] {
    return this.#explainErrors(() => this.#db.prepare(SELECT_FOLLOWERS).all(parent) as unknown as KnownChunk[]);
  }

  add({ parent, digest, records, pets }: ImportChunk, known: number): boolean {
    return this.#explainErrors(() => {
      this.#begin();
      try {
        this.#files?.requireInPlace();
        this.#schema.require();
        const isKnown = this.#db.prepare(SELECT_FOLLOWERS).all(parent).length !== known;
        if (!isKnown) {
          for (let i = 0; i < pets.length; i += ROWS) this.#insert(pets.slice(i, i + ROWS));
          this.#db.prepare(INSERT_CHUNK).run(parent, digest, records, pets.length, Date.now());
        }
        this.#db.exec(isKnown ? "ROLLBACK" : "COMMIT");
        return !isKnown;
      } catch (error) {
        rollback(this.#db);
        throw error;
      }
    });
  }

  close(): void {
    try {
      this.#files?.requireInPlace();
    } catch {
      // Closing would delete the log of that name, which may belong to another database. The process ends soon.
      return;
    }
    this.#db.close();
  }

  /** SQLite's own wait has pauses of up to 100 ms, in which a busy server would always be first. */
  #begin(): void {
    const deadline = performance.now() + LOCK_TIMEOUT;
    setBusyTimeout(this.#db, 0);
    for (;;) {
      try {
        return this.#db.exec("BEGIN IMMEDIATE");
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        Atomics.wait(this.#pause, 0, 0, RETRY_PAUSE);
      }
    }
  }

  #insert(pets: readonly PetDraft[]): void {
    const statement = pets.length === ROWS ? this.#insertMany : this.#db.prepare(insertPets(pets.length));
    // If another program has inserted an id beyond 2^53, it could not be returned as a number.
    statement.setReadBigInts(true);
    statement.run(...pets.flatMap(({ name, categoryId, status }) => [name, categoryId, statusCode(status)]));
  }

  #explainErrors<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw error instanceof StoreUnavailableError ? error : explain(error, this.#path);
    }
  }
}
