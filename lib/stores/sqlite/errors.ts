/** What the errors of `node:sqlite` mean. */

import { StoreUnavailableError } from "../store.ts";

/** SQLITE_ERROR and SQLITE_CONSTRAINT: the statement is wrong, not the state of the world. */
const DEFECTS = [1, 19];
/** SQLITE_BUSY */
const BUSY = 5;

/** Whether SQLite cannot serve, rather than being asked for nonsense. Where a runtime gives no number, it cannot. */
export function isOutage(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: string; errcode?: number };
  if (code === "ERR_INVALID_STATE") return true;
  return code === "ERR_SQLITE_ERROR" && !(errcode !== undefined && DEFECTS.includes(errcode & 0xff));
}

/** Whether another connection has the lock. The text is sqlite3_errstr()'s, for runtimes that give no number. */
export function isBusy(error: unknown): boolean {
  const { errcode, message } = (error ?? {}) as { errcode?: number; message?: string };
  return errcode === undefined ? message === "database is locked" : (errcode & 0xff) === BUSY;
}

/** What `node:sqlite` throws, as the contract wants it. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return error;
  return isOutage(error) ? new StoreUnavailableError((error as Error).message, { cause: error }) : error;
}

/** What a closed store answers. */
export function closed(): StoreUnavailableError {
  return new StoreUnavailableError("The store has been closed");
}
