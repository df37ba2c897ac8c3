/** A common interface to run statements in a transaction, on D1 and in a Durable Object. */

import type { MaybePromise } from "../../maybe_promise.ts";
import type { Rows, Statement } from "../sql_keys.ts";
import type { D1Binding, DurableObjectBinding } from "./binding.ts";
import { asUnavailable } from "./errors.ts";

export interface Database {
  /** The kind of database, for messages. */
  readonly name: string;
  /**
   * Runs statements in one transaction, and returns the rows of each.
   *
   * @throws {StoreUnavailableError} After an outage. The transaction may have been committed.
   */
  run(statements: readonly Statement[]): MaybePromise<Rows[]>;
}

export class D1Database implements Database {
  readonly name = "D1";
  readonly #db: D1Binding;

  constructor(db: D1Binding) {
    this.#db = db;
  }

  async run(statements: readonly Statement[]): Promise<Rows[]> {
    try {
      const [first, ...more] = statements.map(([sql, ...values]) => this.#db.prepare(sql).bind(...values));
      if (first === undefined) return [];
      const results = more.length === 0 ? [await first.all()] : await this.#db.batch([first, ...more]);
      return results.map(({ results }) => results as Rows);
    } catch (error) {
      throw asUnavailable(error, this.name);
    }
  }
}

export class DurableObjectDatabase implements Database {
  readonly name = "The Durable Object's database";
  readonly #storage: DurableObjectBinding;

  constructor(storage: DurableObjectBinding) {
    this.#storage = storage;
  }

  run(statements: readonly Statement[]): Rows[] {
    const { sql } = this.#storage;
    try {
      return this.#storage.transactionSync(() =>
        statements.map(([text, ...values]) => sql.exec(text, ...values).toArray() as Rows)
      );
    } catch (error) {
      throw asUnavailable(error, this.name);
    }
  }
}
