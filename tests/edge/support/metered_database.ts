/** A D1 database that notes what D1 reports of each call. */

import type { D1Binding, D1Rows, D1Statement } from "@petstore/petstore/d1";

/** The cost of an operation. */
export interface Cost {
  /** Round trips to the database. */
  calls: number;
  read: number;
  written: number;
}

type Metered = D1Rows & { meta: { rows_read: number; rows_written: number } };

export class MeteredDatabase implements D1Binding {
  readonly #db: D1Binding;
  /** The statements of the database itself, which alone can run them. */
  readonly #own = new WeakMap<D1Statement, D1Statement>();
  #cost: Cost = { calls: 0, read: 0, written: 0 };

  constructor(db: D1Binding) {
    this.#db = db;
  }

  prepare(sql: string): D1Statement {
    return this.#wrap(this.#db.prepare(sql));
  }

  async batch(statements: D1Statement[]): Promise<D1Rows[]> {
    return this.#note(await this.#db.batch(statements.map((each) => this.#own.get(each)!)));
  }

  /** The cost of a piece of work. */
  async costOf(work: () => unknown): Promise<Cost> {
    this.#cost = { calls: 0, read: 0, written: 0 };
    await work();
    return this.#cost;
  }

  #wrap(own: D1Statement): D1Statement {
    const statement: D1Statement = {
      bind: (...values) => this.#wrap(own.bind(...values)),
      all: async () => this.#note([await own.all()])[0]!,
    };
    this.#own.set(statement, own);
    return statement;
  }

  #note(results: D1Rows[]): D1Rows[] {
    this.#cost.calls++;
    for (const { meta } of results as Metered[]) {
      this.#cost.read += meta.rows_read;
      this.#cost.written += meta.rows_written;
    }
    return results;
  }
}
