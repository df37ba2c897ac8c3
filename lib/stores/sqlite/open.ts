/**
 * Opens an SQLite file for a store: it refuses what is no petstore's file, brings the schema up to date, and sets how a commit is written.
 */

import { DatabaseSync } from "node:sqlite";
import { Connection } from "./connection.ts";
import { explained, isBusy } from "./errors.ts";
import { inspectFiles } from "./file_checks.ts";
import { followLinks } from "./file_names.ts";
import { openSnapshot } from "./inspection.ts";
import { identify, identifyFiles, type OpenedFiles, requireInPlace, requireSame } from "./opened_files.ts";
import { migrate } from "./migrate.ts";
import { requireKnownSchema } from "./ownership.ts";
import { StoreUnavailableError } from "../store.ts";
import { beginWrite, BUSY_TIMEOUT_MS, retryWhileBusy, rollback } from "./transaction.ts";

const IN_MEMORY = ":memory:";

/**
 * The size to which SQLite shortens a longer log. It is more than an import needs, so that the size of the log does not change all the
 * time.
 */
export const LOG_LIMIT_BYTES = 64 * 1_048_576;

/**
 * Opens a database, and creates the file if it does not exist.
 *
 * @throws {StoreUnavailableError} If the file cannot be used. It is then unchanged.
 */
export function openDatabase(givenPath: string): Connection {
  return explained(givenPath, () => givenPath === IN_MEMORY ? openInMemory() : openFile(givenPath));
}

function openInMemory(): Connection {
  return connect(IN_MEMORY, IN_MEMORY, (db) => {
    const isNew = migrate(db, IN_MEMORY);
    return new Connection({ db, givenPath: IN_MEMORY, files: undefined, isNew });
  });
}

function openFile(givenPath: string): Connection {
  const path = followLinks(givenPath);
  const exists = inspectFiles(givenPath, path);
  // The file is only read until it is known to be a petstore's.
  if (exists) openSnapshot({ givenPath, path }, requireKnownSchema).close();
  const inspected = exists ? identify(givenPath, path) : undefined;
  return connect(givenPath, path, (db) => {
    const isNew = migrate(db, givenPath);
    requireWritePermission(db);
    // The file must be the one that was inspected: a backup may have been restored while this connection waited for a lock.
    if (inspected) requireSame(givenPath, path, inspected);
    return new Connection({ db, givenPath, files: identifyFiles(givenPath, path), isNew });
  });
}

/**
 * Opens a second connection to a database that is open already.
 *
 * @throws {StoreUnavailableError} If it is not the same database any more, or cannot be opened.
 */
export function openSecondConnection(files: OpenedFiles): Connection {
  const { givenPath, path } = files;
  return explained(givenPath, () => {
    // The files must be there, because SQLite would create a missing one.
    requireInPlace(files);
    return connect(givenPath, path, (db) => {
      requireKnownSchema(db, givenPath);
      requireInPlace(files);
      return new Connection({ db, givenPath, files, isNew: false });
    });
  });
}

/** Opens a connection, which is closed again if `prepare` throws. */
function connect(givenPath: string, path: string, prepare: (db: DatabaseSync) => Connection): Connection {
  const db = new DatabaseSync(path);
  try {
    configure(db, givenPath);
    return prepare(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Checks that the file can be written to. SQLite opens a file without write permission as read-only, and fails only on the first write. */
function requireWritePermission(db: DatabaseSync): void {
  try {
    beginWrite(db, 0);
    // The lock alone can be had in a read-only file, so something is written, which is rolled back.
    db.exec("PRAGMA user_version = 0");
  } catch (error) {
    // If the file is busy, another process is writing to it, so it is writable.
    if (!isBusy(error)) throw error;
  } finally {
    rollback(db);
  }
}

function configure(db: DatabaseSync, givenPath: string): void {
  const row = retryWhileBusy(BUSY_TIMEOUT_MS, () => db.prepare("PRAGMA journal_mode = WAL").get());
  if (row?.["journal_mode"] !== "wal" && givenPath !== IN_MEMORY) {
    throw new StoreUnavailableError(`${givenPath} cannot use a write-ahead log; is it on a network file system?`);
  }
  // With `synchronous = NORMAL`, a power failure could undo an acknowledged create. `fullfsync` is for macOS, where fsync() does not empty
  // the disk's cache.
  db.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
  db.exec(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`);
}
