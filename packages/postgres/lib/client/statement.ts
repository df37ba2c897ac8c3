import { StoreUnavailableError } from "@petstore/petstore/store";
import { uncertain } from "@petstore/petstore/store/toolkit";
import { type Connection, type Parameter, type Row, runStatement } from "./connection.ts";
import { asUnavailable, isRefusal } from "./errors.ts";

export interface StatementParts {
  text: string;
  parameters: readonly Parameter[];
  /** What the statement stores, such as `pet`; undefined if it stores nothing. */
  whatItStores: string | undefined;
  /** In milliseconds from now. */
  timeLimit: number;
  /** Called when the time has passed, before the statement fails. */
  onTimeout: () => void;
}

/**
 * A statement, and the promise of its caller. It ends once, by its answer or by its failure, whichever comes first:
 *
 * - `waiting`: it is in the queue. It fails if it is refused, if the pool has no connection for it, or if its time passes.
 * - `sent`: it has a connection of its own. It ends by the answer or the error of PostgreSQL, or if its time passes.
 * - `answered`: the promise is resolved, and the connection is the queue's again.
 * - `failed`: the promise is rejected. If the statement was sent, it has closed its connection.
 */
export class Statement {
  readonly text: string;
  readonly whatItStores: string | undefined;
  /** When it came, in milliseconds as in `performance.now()`. */
  readonly arrivedAt: number = performance.now();
  readonly #parameters: readonly Parameter[];
  /** The promise of the caller. */
  readonly #result = Promise.withResolvers<Row[]>();
  /** Fails the statement when its time has passed. The end of the statement clears it. */
  readonly #timer: ReturnType<typeof setTimeout>;
  #state: "waiting" | "sent" | "answered" | "failed" = "waiting";
  /** The connection on which it was sent; undefined while it waits. */
  connection: Connection | undefined;

  constructor({ text, parameters, whatItStores, timeLimit, onTimeout }: StatementParts) {
    this.text = text;
    this.whatItStores = whatItStores;
    this.#parameters = parameters;
    this.#timer = setTimeout(() => {
      onTimeout();
      this.fail(timeoutError(timeLimit));
    }, timeLimit);
  }

  /** Resolves to the rows, or rejects with a {@link StoreUnavailableError}. */
  get result(): Promise<Row[]> {
    return this.#result.promise;
  }

  /**
   * Sends the statement, and ends it, unless its time passes before PostgreSQL answers. Resolves to whether it was answered; if not, it has
   * closed the connection. The promise never rejects.
   */
  async runOn(connection: Connection, prepare: boolean): Promise<boolean> {
    this.#state = "sent";
    this.connection = connection;
    try {
      const rows = await runStatement(connection, this.text, this.#parameters, prepare);
      // If its time has passed meanwhile, it has failed already, and the connection is closed.
      if (this.#state !== "sent") return false;
      this.#state = "answered";
      clearTimeout(this.#timer);
      this.#result.resolve(rows);
      return true;
    } catch (error) {
      // The error may also come from the end of the time, because the connection was closed.
      this.fail(error);
      return false;
    }
  }

  /**
   * Rejects the promise of a statement that waits or was sent. If it was sent, its connection is closed: the connection may be dead, and
   * otherwise a late answer or cancellation would hit its next statement.
   */
  fail(error: unknown): void {
    const hasEnded = this.#state === "answered" || this.#state === "failed";
    if (hasEnded) return;
    this.#state = "failed";
    clearTimeout(this.#timer);
    if (!this.connection) return this.#result.reject(asUnavailable(error));
    this.#result.reject(failureOf(error, this.whatItStores));
    // The pool closes a connection that it gets back with an error.
    this.connection.release(error as Error);
  }
}

/** Makes the error for the caller of a statement that was sent. */
function failureOf(error: unknown, whatItStores: string | undefined): StoreUnavailableError {
  const failure = asUnavailable(error);
  // If the statement stores something, only PostgreSQL's own refusal shows that it has stored nothing.
  const hasStoredNothing = whatItStores === undefined || isRefusal(error);
  return hasStoredNothing ? failure : uncertain(failure, whatItStores);
}

function timeoutError(timeLimit: number): StoreUnavailableError {
  const cause = new DOMException("The query timed out", "TimeoutError");
  return new StoreUnavailableError(`PostgreSQL has not answered within ${Math.round(timeLimit)} ms`, { cause });
}
