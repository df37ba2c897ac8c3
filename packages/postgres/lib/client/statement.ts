/** A statement on its way to PostgreSQL and back: how far it is, the connection that it has, and the error that its caller gets. */

import { StoreUnavailableError } from "@petstore/petstore/store";
import { asUnavailable, isRefusal } from "./errors.ts";
import { type Connection, ignore, type Row } from "./pool.ts";

/**
 * How far a statement is:
 *
 * - `queued`: it waits in the queue of the store.
 * - `connecting`: it waits until the pool gives it a connection.
 * - `sent`: PostgreSQL may have got it.
 * - `given up`: its time has passed, or the store has been closed.
 */
export type State = "queued" | "connecting" | "sent" | "given up";

/** What a statement may store, as a part of a message. */
export type Stored = "pet" | "change of the keys";

export interface Statement {
  text: string;
  parameters: readonly string[] | null;
  mayStore: Stored | undefined;
  state: State;
  /** The connection of the statement, while it has one. */
  connection?: Connection | undefined;
  /** Gives the statement up when its time has passed. */
  timer?: ReturnType<typeof setTimeout>;
  resolve(rows: Row[]): void;
  reject(error: unknown): void;
}

/** Whether a statement is still in a state. A plain comparison would not compile, since the compiler expects no change during a wait. */
export function isStill(state: State, statement: Statement): boolean {
  return statement.state === state;
}

/** Gives a connection back to the pool. With an error, the pool closes it. */
export function giveBack(connection: Connection, error?: Error): void {
  connection.release(error);
  connection.off("error", ignore);
}

/** Takes the connection from a statement, if it has one, and closes it. */
export function closeConnection(statement: Statement, error: Error): void {
  const { connection } = statement;
  statement.connection = undefined;
  if (connection) giveBack(connection, error);
}

/**
 * Makes the error that the caller of a statement gets. Once a statement that stores something is sent, only PostgreSQL's own refusal shows
 * that it has stored nothing.
 */
export function explain(error: unknown, { mayStore, state }: Pick<Statement, "mayStore" | "state">): unknown {
  const known = asUnavailable(error);
  if (!mayStore || state !== "sent" || !(known instanceof StoreUnavailableError) || isRefusal(error)) return known;
  const { message, cause } = known;
  return new StoreUnavailableError(`${message}; the ${mayStore} may have been stored`, { cause, mayBeStored: true });
}
