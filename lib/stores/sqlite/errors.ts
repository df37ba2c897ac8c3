/**
 * Tells failures of SQLite apart: a lock that another program holds, a disk or a file that cannot
 * be used, and a defect of this library. Operators get a sentence in place of SQLite's message.
 */

import { StoreUnavailableError } from "../store.ts";

/**
 * Parts of SQLite's messages, which are the same on all runtimes. Its numbers are not: Deno gives
 * none for some errors.
 */
const LOCKED = "database is locked";
const IO_ERROR = "disk I/O error";
const FULL = "disk is full";
const MALFORMED = "database disk image is malformed";
const NO_DATABASE = "file is not a database";

/** The failures that may pass without a change to the file. */
const TEMPORARY = [LOCKED, IO_ERROR, FULL];

/** What the operator reads after the path of the file, for each message. */
const EXPLANATIONS: readonly [message: string, meaning: string][] = [
  [NO_DATABASE, "is not an SQLite database; it was left unchanged"],
  [MALFORMED, "is corrupt; restore it from a backup"],
  [LOCKED, "is locked by another process"],
  ["unable to open database", "cannot be opened; it must be readable, and its folder must exist and be writable"],
  ["readonly database", "cannot be written to: SQLite writes to it and its folder, also when it only reads"],
  [IO_ERROR, "cannot be read or written: the disk is full or faulty"],
  [FULL, "cannot be written to: the disk is full"],
];

/**
 * Turns an error of SQLite into a {@link StoreUnavailableError}. Any other is a defect of this
 * library, and is returned unchanged.
 */
export function asUnavailable(error: unknown, path: string): unknown {
  return isFromSqlite(error) ? unavailableFrom(error, path) : error;
}

/**
 * Makes the error that says what is wrong with a file, for the operator. An error that was
 * explained before stays as it is.
 */
export function unavailableFrom(error: unknown, path: string): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const isTemporary = TEMPORARY.some((part) => messageOf(error).includes(part));
  return new StoreUnavailableError(`${path} ${explanationOf(error)}`, { cause: error, isTemporary });
}

function explanationOf(error: unknown): string {
  // Deno's message suggests a flag of `deno run`, but another command may have started the program.
  if (error instanceof Error && error.name === "NotCapable") {
    return "cannot be opened: the program lacks Deno's permission for it";
  }
  const message = messageOf(error);
  const known = EXPLANATIONS.find(([part]) => message.includes(part));
  return known ? known[1] : `cannot be used: ${message.replaceAll("\n", " ")}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the result of `work`. If it throws, the error is explained. */
export function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unavailableFrom(error, path);
  }
}

/**
 * Whether an error comes from SQLite: the disk, the file, a lock, or another program that has
 * changed the tables. A constraint that refuses a row counts too, because every row was validated
 * before: another program has added the constraint. The statements of this library are not at
 * fault, because tests run each of them.
 */
function isFromSqlite(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  // The code of a connection that has been closed is ERR_INVALID_STATE.
  return code === "ERR_SQLITE_ERROR" || code === "ERR_INVALID_STATE";
}

/** Whether another connection holds the lock. An explained error is judged by its cause. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  return messageOf(cause).includes(LOCKED);
}

/** Whether the system has failed to read or write. */
export function isIoError(error: unknown): boolean {
  return messageOf(error).includes(IO_ERROR);
}

/** Whether the contents of a file are not those of a sound database. */
export function isDamage(error: unknown): boolean {
  const message = messageOf(error);
  return message.includes(MALFORMED) || message.includes(NO_DATABASE);
}
