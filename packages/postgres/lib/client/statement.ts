/** A statement on its way to PostgreSQL and back: how far it is, the connection that it has, and the error that its caller gets. */

import { StoreUnavailableError } from "@petstore/petstore/store";
import { uncertain } from "@petstore/petstore/store/toolkit";
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

export interface Statement {
  text: string;
  parameters: readonly string[] | null;
  addsPets: boolean;
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

/** Whether PostgreSQL may have carried out a statement that adds pets. */
export function mayBeStored({ addsPets, state }: Statement): boolean {
  return addsPets && state === "sent";
}

/** Gives the connection of a statement, if it has one, back to the pool, which closes it because of the error. */
export function closeConnection(statement: Statement, error: Error): void {
  const { connection } = statement;
  statement.connection = undefined;
  connection?.release(error);
  connection?.off("error", ignore);
}

/**
 * Makes the error that the caller of a statement gets.
 *
 * @param mayBeStored Whether a pet may have been stored. Only PostgreSQL's own refusal then shows that none was.
 */
export function explain(error: unknown, mayBeStored: boolean): unknown {
  const known = asUnavailable(error);
  const isUnknown = mayBeStored && known instanceof StoreUnavailableError && !isRefusal(error);
  return isUnknown ? uncertain(known) : known;
}
