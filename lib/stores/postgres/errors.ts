/** What the errors of PostgreSQL and of its drivers mean. */

import { StoreUnavailableError } from "../store.ts";

/** Classes of SQLSTATE that mean a wrong statement or a wrong value, and not the state of the world. */
const DEFECTS = ["22", "23", "42"];

/** Of those, what somebody has done to the database: privileges taken away, or tables and functions dropped. */
const DAMAGE = ["42501", "42P01", "42883"];

/**
 * Serialization failure, deadlock, unique violation. They come where transactions are set to be serializable, or where
 * another program writes too; nothing was stored, and another try sees what was in its way.
 */
const TRANSIENT = ["40001", "40P01", "23505"];

/** SQLSTATE, if the server has answered; drivers put names of their own in its place. */
export function sqlState(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Whether the same statement may succeed at once. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT.includes(sqlState(error) ?? "");
}

/** Whether somebody who waits may find it gone: there is no connection, or the server starts, stops or is full. */
export function isPassing(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined ? isOutage(error) : /^(08|53|57|58)/.test(state);
}

/** What a driver rejects with, as the contract wants it. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || !isOutage(error)) return error;
  return new StoreUnavailableError(describe(error), { cause: error });
}

function isOutage(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return !DEFECTS.includes(state.slice(0, 2)) || DAMAGE.includes(state);
  // Without an answer of the server it is the connection, unless somebody has made a mistake in JavaScript.
  const mistakes = [TypeError, RangeError, ReferenceError, SyntaxError];
  return error instanceof Error && !mistakes.some((mistake) => error instanceof mistake);
}

/** One line for the operator. Where a host has several addresses, the message is empty and the code says it. */
function describe(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const text = (message || code || String(error)).replaceAll("\n", " ");
  const state = sqlState(error);
  return `PostgreSQL: ${text}${state === undefined ? "" : ` (SQLSTATE ${state})`}`;
}

/** What a closed store answers. */
export function closed(): StoreUnavailableError {
  return new StoreUnavailableError("The store has been closed");
}
