/** Classifies the errors of `node:sqlite`. */

import { StoreUnavailableError } from "../store.ts";

/** SQLITE_ERROR and SQLITE_CONSTRAINT: the statement or a value is invalid. */
const DEFECTS = [1, 19];
/** SQLITE_BUSY */
const BUSY = 5;

/** Whether SQLite cannot serve, as opposed to an invalid statement or value. True if the runtime gives no error number. */
export function isOutage(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: string; errcode?: number };
  if (code === "ERR_INVALID_STATE") return true;
  return code === "ERR_SQLITE_ERROR" && !(errcode !== undefined && DEFECTS.includes(errcode & 0xff));
}

/** Whether another connection holds the lock. If the runtime gives no number, the text of `sqlite3_errstr()` decides. */
export function isBusy(error: unknown): boolean {
  const { errcode, message } = (error ?? {}) as { errcode?: number; message?: string };
  return errcode === undefined ? message === "database is locked" : (errcode & 0xff) === BUSY;
}

/** Turns an outage into a {@link StoreUnavailableError}, and returns any other error unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return error;
  return isOutage(error) ? new StoreUnavailableError((error as Error).message, { cause: error }) : error;
}
