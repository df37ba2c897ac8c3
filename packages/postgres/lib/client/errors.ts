/** What the errors of PostgreSQL and of the driver mean. */

import { StoreUnavailableError } from "@petstore/petstore/store";

/** The SQLSTATEs of a serialization failure, a deadlock, and a unique violation: nothing was stored, so a retry is safe. */
const TRANSIENT_STATES = ["40001", "40P01", "23505"];

/** The SQLSTATE, if the error comes from the server. The driver puts its own codes in the same property. */
export function sqlState(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  // A SQLSTATE has a digit. `EPIPE`, which has the same length, has none.
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code) ? code : undefined;
}

/** Whether a statement has conflicted with other transactions, so that it may succeed if it is repeated at once. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT_STATES.includes(sqlState(error) ?? "");
}

/**
 * The beginnings of SQLSTATEs that do not show what became of a statement: a lost connection, the end of the session or of the server, and
 * an unknown outcome. A pooler reports the loss of its own connection by the first two.
 */
const UNKNOWN_OUTCOMES = /^(08|57P|40003)/;

/**
 * The beginnings of SQLSTATEs by which a statement ends, and never a session: an invalid value (22), a constraint (23), a database that can
 * only be read (25006), a conflict (40), an invalid statement (42), a lock (55), a cancelled statement (57014), and an error that a function
 * raises (P0).
 */
const REFUSALS = /^(2[23]|25006|40|42|55|57014|P0)/;

/**
 * Whether an error shows that PostgreSQL has rolled a statement back. The severity says it, but in the language of `lc_messages`: in any
 * other language than English, only the SQLSTATE is understood.
 */
export function isRefusal(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined || UNKNOWN_OUTCOMES.test(state)) return false;
  return (error as { severity?: unknown }).severity === "ERROR" || REFUSALS.test(state);
}

/** Whether a later attempt may succeed although nobody changes the database or the settings. */
export function isTemporary(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(08|53|57|58)/.test(state);
  // The permissions of a program do not change while it runs.
  return (error as { code?: unknown }).code !== "EPERM";
}

/**
 * Makes a {@link StoreUnavailableError} of any failure of a statement. It is never a fault of the request, because all values were
 * validated before: the connection or the server has failed, or another program has changed the database.
 */
export function asUnavailable(error: unknown): StoreUnavailableError {
  return error instanceof StoreUnavailableError ? error : new StoreUnavailableError(describe(error), { cause: error });
}

/**
 * Describes an error in one line. If a host has several addresses, Node leaves the message empty and sets only the
 * code.
 */
function describe(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const text = (message || code || String(error)).replaceAll("\n", " ");
  const state = sqlState(error);
  return `PostgreSQL: ${text}${state === undefined ? "" : ` (SQLSTATE ${state})`}`;
}

/** What an operator can do about an error of a connection, by the code of the system or of PostgreSQL. */
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
]);

/** The next step after a failure to connect, as the end of a line; "" if there is none to give. */
export function adviceOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  const advice = ADVICE.get(code);
  if (advice !== undefined) return `; ${advice}`;
  return cause === undefined ? "" : adviceOf(cause);
}
