/**
 * Tells failures of SQLite apart: a lock that another program holds, a disk or a file that cannot be used, and a defect of this library.
 * Operators get a sentence in place of SQLite's message.
 */

import { StoreUnavailableError } from "../store.ts";

/** Turns any error but a defect of this library into a {@link StoreUnavailableError}. A defect is returned unchanged. */
export function asUnavailable(error: unknown, path: string): unknown {
  return isFromOutside(error) ? unavailableFrom(error, path) : error;
}

/** Makes the error that says what is wrong with a file, for the operator. An error that was explained before stays as it is. */
export function unavailableFrom(error: unknown, path: string): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  // Deno's message suggests a flag of `deno run`, but another command may have started the program.
  const meaning = name === "NotCapable"
    ? "cannot be opened: the program lacks Deno's permission for it"
    : EXPLANATIONS.find(([part]) => message.includes(part))?.[1];
  return new StoreUnavailableError(
    `${path} ${meaning ?? `cannot be used: ${message.replaceAll("\n", " ")}`}`,
    { cause: error },
  );
}

/** Parts of SQLite's messages, which are the same on all runtimes, and what the operator reads after the path of the file. */
const EXPLANATIONS: readonly [part: string, meaning: string][] = [
  ["file is not a database", "is not an SQLite database; it was left unchanged"],
  ["database disk image is malformed", "is corrupt; restore it from a backup"],
  ["database is locked", "is locked by another process"],
  ["unable to open database", "cannot be opened; it must be readable, and its folder must exist and be writable"],
  ["readonly database", "cannot be written to"],
  ["disk I/O error", "cannot be read or written: the disk is full or faulty"],
  ["disk is full", "cannot be written to: the disk is full"],
];

/** Returns the result of `work`. If it throws, the error is explained. */
export function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unavailableFrom(error, path);
  }
}

/** SQLite's result code for a statement that does not fit the tables (SQLITE_ERROR). */
const INVALID_STATEMENT = 1;

/** SQLite's messages about a table that another program has renamed, dropped or altered while it is in use. */
const ALTERED = /^no such (table|column)|has no column named/;

/**
 * Whether something outside of this library has made a statement fail: the disk, the file, a lock, or another program that has changed the
 * tables. A constraint that refuses a row counts too, because every row was validated before: another program has added the constraint.
 */
function isFromOutside(error: unknown): boolean {
  const { code, errcode = 0, message = "" } = (error ?? {}) as { code?: string; errcode?: number; message?: string };
  switch (code) {
    case "ERR_INVALID_STATE":
      // The connection has been closed.
      return true;
    case "ERR_SQLITE_ERROR":
      // The statements are those of this library, so one that does not fit the tables is its defect, unless the tables were altered.
      return primaryCode(errcode) !== INVALID_STATEMENT || ALTERED.test(message);
    default:
      return false;
  }
}

/** SQLite's result code for a lock that another connection holds (SQLITE_BUSY). */
const BUSY = 5;

/** Whether another connection holds the lock. An explained error is judged by its cause. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  const { errcode, message } = (cause ?? {}) as { errcode?: number; message?: string };
  return errcode === undefined ? message === "database is locked" : primaryCode(errcode) === BUSY;
}

/** SQLite's result code for a failure of the system (SQLITE_IOERR). */
const IO_ERROR = 10;

/** Whether the system has failed to read or write. Deno gives no number for some errors. */
export function isIoError(error: unknown): boolean {
  const { errcode, message } = (error ?? {}) as { errcode?: number; message?: string };
  return errcode === undefined ? /^disk I\/O error/.test(message ?? "") : primaryCode(errcode) === IO_ERROR;
}

/** The result code of SQLite without its extension, which tells more and stands in the higher bits. */
function primaryCode(errcode: number): number {
  return errcode & 0xff;
}

/** Whether the contents of a file are not those of a sound database. */
export function isDamage(error: unknown): boolean {
  return /database disk image is malformed|file is not a database/.test(String(error));
}
