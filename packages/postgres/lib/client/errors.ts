/** What the errors of PostgreSQL and of the driver mean. */

import { StoreUnavailableError } from "@petstore/petstore/store";
import { uncertainOutcomeError } from "@petstore/petstore/store/toolkit";

/**
 * Makes a {@link StoreUnavailableError} of any failure of a statement. It is never a fault of the
 * request, because all values were validated before: the connection or the server has failed, or
 * another program has changed the database.
 */
export function asUnavailable(reason: unknown): StoreUnavailableError {
  if (reason instanceof StoreUnavailableError) return reason;
  // The pool of an app may reject with undefined.
  const error = reason ?? new Error("a connection failed without a reason");
  return new StoreUnavailableError(describe(error), { cause: error, isTemporary: isTemporary(error) });
}

/**
 * Makes the error for the caller of a statement that was sent.
 *
 * @param whatItStores What the statement stores, if it stores something.
 */
export function failureOf(error: unknown, whatItStores: string | undefined): StoreUnavailableError {
  const failure = asUnavailable(error);
  // If the statement stores something, only PostgreSQL's own refusal shows that it has stored nothing.
  const hasStoredNothing = whatItStores === undefined || isRefusal(error);
  return hasStoredNothing ? failure : uncertainOutcomeError(failure, whatItStores);
}

/** Makes the error for a statement whose time has passed. */
export function timeoutError(timeLimit: number): StoreUnavailableError {
  const message = `PostgreSQL has not answered within ${Math.round(timeLimit)} ms`;
  return new StoreUnavailableError(message, { isTemporary: true });
}

/**
 * Describes an error in one line. If a host has several addresses, Node leaves the message empty
 * and sets only the code.
 */
function describe(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const text = (message || code || String(error)).replaceAll("\n", " ");
  const state = sqlState(error);
  return `PostgreSQL: ${text}${state && ` (SQLSTATE ${state})`}`;
}

/**
 * The SQLSTATE, or "" if the error does not come from the server. The driver puts its own codes in
 * the same property.
 */
function sqlState(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  // A SQLSTATE has a digit. `EPIPE`, which has the same length, has none.
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code) ? code : "";
}

/** Whether an error comes from the server or a pooler, and not from the driver. */
export function isAnswer(error: unknown): boolean {
  return sqlState(error) !== "";
}

/** Whether the SQLSTATE of an error begins with one of these texts: a class of two signs, or more of it. */
function hasState(error: unknown, beginnings: readonly string[]): boolean {
  return beginnings.some((beginning) => sqlState(error).startsWith(beginning));
}

/**
 * Whether a statement has conflicted with other transactions, so that it may succeed if it is
 * repeated at once. Nothing was stored.
 */
export function isTransient(error: unknown): boolean {
  return hasState(error, [
    "40001", // a serialization failure
    "40P01", // a deadlock
    "23505", // a unique violation
  ]);
}

/**
 * Whether an error shows that PostgreSQL has rolled a statement back. The severity says it, but in
 * the language of `lc_messages`: in any other language than English, only the SQLSTATE is
 * understood.
 */
export function isRefusal(error: unknown): boolean {
  if (sqlState(error) === "" || hasState(error, UNKNOWN_OUTCOMES)) return false;
  return (error as { severity?: unknown }).severity === "ERROR" || hasState(error, REFUSALS);
}

/** What does not show what became of a statement. A pooler reports the loss of its own connection by the first two. */
const UNKNOWN_OUTCOMES = [
  "08", // a lost connection
  "57P", // the end of the session or of the server
  "40003", // an unknown outcome
];

/** What ends a statement, and never a session. */
const REFUSALS = [
  "22", // an invalid value
  "23", // a constraint
  "25006", // a database that can only be read
  "40", // a conflict
  "42", // an invalid statement, or one that the role may not run
  "55", // a lock, or a state in which the statement cannot run
  "57014", // a cancelled statement
  "P0", // an error that a function raises
];

/** Whether a later attempt may succeed without a change to the database or the settings. */
function isTemporary(error: unknown): boolean {
  // The permissions of a program and its settings do not change while it runs.
  if (sqlState(error) === "") return (error as { code?: unknown }).code !== "EPERM" && !lacksPassword(error);
  return hasState(error, [
    "08", // a lost connection
    "25P04", // a transaction that took too long
    "40", // a conflict with other transactions, or on a standby with those of the primary
    "53", // no room, no memory or no connection left
    "55P03", // a lock that others hold
    "57", // the start, the stop or an intervention of an operator
    "58", // a failure of the system
  ]);
}

/** Whether PostgreSQL has asked for a password, and there is none. The driver throws an error without a code. */
function lacksPassword(error: unknown): boolean {
  return /client password must be/.test(String((error as { message?: unknown }).message));
}

/** What an operator can do about an error, by the code of the system or of PostgreSQL. */
const ADVICE: ReadonlyMap<unknown, string> = new Map([
  ["ECONNREFUSED", "start PostgreSQL, or correct the host and the port"],
  ["ENOENT", "start PostgreSQL, or correct the folder of its socket"],
  ["ENOTFOUND", "correct the name of the host"],
  ["EAI_AGAIN", "correct the name of the host, or ask again when names can be resolved"],
  ["ETIMEDOUT", "correct the host and the port, or open the firewall"],
  ["EHOSTUNREACH", "correct the host, or the network between"],
  ["EPERM", "write the host in the address as it is in --allow-net, or permit it there"],
  ["28P01", "correct the password, or the user"],
  ["28000", "correct the user, or permit the connection in pg_hba.conf"],
  ["3D000", "create the database with createdb, or correct its name"],
  ["42501", "have an administrator apply the SQL that petstore schema shows"],
]);

/** The next step after a failure, as the end of a line; "" if there is none to give. */
export function adviceOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (lacksPassword(error)) return "; write the password into the address, or set PGPASSWORD";
  const advice = ADVICE.get(code);
  if (advice !== undefined) return `; ${advice}`;
  return cause === undefined ? "" : adviceOf(cause);
}
