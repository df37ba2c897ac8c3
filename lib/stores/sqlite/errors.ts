/**
 * Tells failures of SQLite apart by what a client should do: a lock that another program holds, a disk or a file that cannot be used, and a
 * defect of this library. Operators get a sentence in place of SQLite's message.
 */

import { StoreUnavailableError } from "../store.ts";

/** SQLite's result code for an invalid statement (SQLITE_ERROR). It means a defect of this library, or tables that were changed. */
const INVALID_STATEMENT = 1;
/** SQLite's messages about a table that another program has renamed, dropped or altered while it is in use. */
const ALTERED = /^no such (table|column)|has no column named/;
/** SQLite's result code for a lock that another connection holds (SQLITE_BUSY). */
const BUSY = 5;
/** SQLite's result code for a failure of the system (SQLITE_IOERR). */
const IO_ERROR = 10;

/**
 * Whether SQLite cannot serve at the moment, which is no defect of this library. An error of SQLite without a number counts as an outage.
 * So does a constraint that refuses a row, because every row was validated before: another program has added the constraint, or a trigger.
 */
function isOutage(error: unknown): boolean {
  const { code, errcode, message } = (error ?? {}) as { code?: string; errcode?: number; message?: string };
  // This code means that the connection has been closed.
  if (code === "ERR_INVALID_STATE") return true;
  if (code !== "ERR_SQLITE_ERROR") return false;
  return errcode === undefined || !isInvalidStatement(error) || ALTERED.test(message ?? "");
}

/** Whether the file or the disk has failed, so that the same statement may succeed later. */
export function isFailureOfDisk(error: unknown): boolean {
  return isOutage(error) && !isInvalidStatement(error);
}

/** Whether a statement does not fit the tables, be it for a defect of this library or because they were altered. */
function isInvalidStatement(error: unknown): boolean {
  const { errcode = 0 } = (error ?? {}) as { errcode?: number };
  return (errcode & 0xff) === INVALID_STATEMENT;
}

/** Whether another connection holds the lock. An explained error is judged by its cause. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  const { errcode, message } = (cause ?? {}) as { errcode?: number; message?: string };
  return errcode === undefined ? message === "database is locked" : (errcode & 0xff) === BUSY;
}

/** Whether the system has failed to read or write (SQLITE_IOERR). Deno gives no number for some errors. */
export function isIoError(error: unknown): boolean {
  const { errcode, message } = (error ?? {}) as { errcode?: number; message?: string };
  return errcode === undefined ? /^disk I\/O error/.test(message ?? "") : (errcode & 0xff) === IO_ERROR;
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

/** Returns the result of `work`. If it throws, the error is explained. */
export function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unavailableFrom(error, path);
  }
}

/** Whether the contents of a file are not those of a sound database. */
export function isDamage(error: unknown): boolean {
  return /database disk image is malformed|file is not a database/.test(String(error));
}

/** Turns an outage into a {@link StoreUnavailableError}, and returns any other error unchanged. */
export function asUnavailable(error: unknown, path: string): unknown {
  return isOutage(error) ? unavailableFrom(error, path) : error;
}
