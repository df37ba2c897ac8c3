/**
 * Opens an SQLite file for a store. These files take part from the opening to the close:
 *
 * ```text
 * open.ts               opens the file, in the steps of openFile()
 *   file_checks.ts      which files must SQLite not even open?
 *   inspection.ts       opens an existing file for reading alone
 *   schema.ts           is it a petstore's file, of a version that this program knows?
 *   schema.ts           makes the tables, or brings them up to date
 *   opened_files.ts     notes which files SQLite has opened
 * connection.ts         owns the open connection, and checks before each commit
 *   opened_files.ts     are the files still in their place?
 *   schema.ts           is it still the schema that this program knows?
 * connection.ts         closes the connection, unless the files were replaced
 *   opened_files.ts     then closes the descriptors by which this process has read the files itself
 * ```
 */

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Connection } from "./connection.ts";
import { explained, isBusy } from "./errors.ts";
import { requireSafeFiles } from "./file_checks.ts";
import { followLinks } from "./file_names.ts";
import { openSnapshot } from "./inspection.ts";
import { identify, identifyFiles, type OpenedFiles, requireInPlace, requireSame } from "./opened_files.ts";
import { migrate, readVersion, requireKnownSchema } from "./schema.ts";
import { StoreUnavailableError } from "../store.ts";
import { beginWrite, retryWhileBusy, rollback } from "./transaction.ts";

const IN_MEMORY = ":memory:";

/**
 * The size to which SQLite shortens a longer log. It is more than an import needs, so that the size
 * of the log does not change all the time.
 */
export const LOG_LIMIT_BYTES = 64 * 1_048_576;

/**
 * Opens a database, and creates the file if it does not exist.
 *
 * @throws {StoreUnavailableError} If the file cannot be used. It is then unchanged.
 */
export function openDatabase(givenPath: string): Connection {
  return explained(givenPath, () => {
    if (givenPath !== IN_MEMORY) return openFile(givenPath);
    return connect(IN_MEMORY, IN_MEMORY, (db) => ({ files: undefined, isNew: migrate(db, IN_MEMORY) }));
  });
}

/**
 * Opens a file in these steps:
 *
 * 1. The files are looked at before SQLite opens them. SQLite would delete the log of a missing
 *    database, with all the pets in it.
 * 2. A file that exists is only read until it is known to be a petstore's. To open it for writing
 *    changes it, and it may be another program's.
 * 3. The connection for writing gets the log, and syncs each commit. A power failure could undo an
 *    acknowledged create otherwise.
 * 4. The tables are made or brought up to date, in one transaction. A program that is killed
 *    meanwhile leaves the file as it was.
 * 5. The file must be writable. SQLite opens any other one as read-only, and the first create would
 *    fail.
 * 6. The file must be the one of step 2. A backup may have been restored while this connection
 *    waited for a lock, and pets would go into the replaced file.
 * 7. The identities of the files are noted. Each commit compares them, because a create that goes
 *    into a deleted file would be lost.
 */
function openFile(givenPath: string): Connection {
  const path = followLinks(givenPath);
  requireSafeFiles(givenPath, path, "write");
  const exists = existsSync(path);
  if (exists) openSnapshot({ givenPath, path }).close();
  const inspected = exists ? identify(givenPath, path) : undefined;
  return connect(givenPath, path, (db) => {
    const isNew = migrate(db, givenPath);
    requireWritable(db);
    if (inspected) requireSame(givenPath, path, inspected);
    return { files: identifyFiles(givenPath, path), isNew };
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
      return { files, isNew: false };
    });
  });
}

/** Opens a connection, which is closed again if `prepare` throws. */
function connect(
  givenPath: string,
  path: string,
  prepare: (db: DatabaseSync) => Pick<Connection, "files" | "isNew">,
): Connection {
  const db = new DatabaseSync(path);
  try {
    configure(db, givenPath);
    return new Connection({ db, givenPath, ...prepare(db) });
  } catch (error) {
    db.close();
    throw error;
  }
}

function configure(db: DatabaseSync, givenPath: string): void {
  const row = retryWhileBusy(() => db.prepare("PRAGMA journal_mode = WAL").get());
  if (row?.["journal_mode"] !== "wal" && givenPath !== IN_MEMORY) {
    throw new StoreUnavailableError(`${givenPath} cannot use a write-ahead log; is it on a network file system?`);
  }
  // With `synchronous = NORMAL`, a power failure could undo an acknowledged create. `fullfsync` is
  // for macOS, where fsync() does not empty the disk's cache.
  db.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
  db.exec(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`);
}

/** Checks that the file can be written to, by a write that changes nothing and is rolled back. */
function requireWritable(db: DatabaseSync): void {
  try {
    beginWrite(db, 0);
  } catch (error) {
    // If the file is busy, another process is writing to it, so it is writable.
    if (isBusy(error)) return;
    throw error;
  }
  try {
    // The lock alone can be had in a read-only file, so the version is written as it is.
    db.exec(`PRAGMA user_version = ${readVersion(db)}`);
  } finally {
    rollback(db);
  }
}
