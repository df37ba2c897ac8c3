/** What a start failed for, and whether it is worth another start. */

import { SettingError, UnreachableError } from "./settings.ts";

/** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR and SQLITE_FULL. */
const PASSING_IN_SQLITE = [5, 6, 10, 13];

const PASSING_TEXT = /^(database( table)? is locked|disk I\/O error|database or disk is full)/;

/** A port that is taken, an address that is not there yet; a disk, a quota, memory or a table of files that is full; a device that fails. */
const PASSING_IN_SYSTEM = [
  "EADDRINUSE",
  "EADDRNOTAVAIL",
  "ENOSPC",
  "EDQUOT",
  "ENOMEM",
  "EMFILE",
  "ENFILE",
  "EIO",
  "EAGAIN",
];

/** The error for a start that failed with this line, because of this. */
export function startError(line: string, cause: unknown): SettingError {
  return isPassing(cause) ? new UnreachableError(line) : new SettingError(line);
}

/** Whether it can go away by itself, or by the hand of somebody who knows nothing of this server. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (typeof code === "string" && PASSING_IN_SYSTEM.includes(code)) return true;
  if (typeof errcode === "number" && PASSING_IN_SQLITE.includes(errcode & 0xff)) return true;
  // Deno gives no number to what a script fails for. The texts are sqlite3_errstr()'s.
  if (code === "ERR_SQLITE_ERROR" && errcode === undefined && PASSING_TEXT.test(error.message)) return true;
  return isPassing(error.cause);
}
