/** A D1 database that notes what D1 reports of each call. */

import type { D1Binding, D1Rows, D1Statement } from "@petstore/edge/d1";

/** The cost of an operation. */
interface Cost {
  /** Round trips to the database. */
  calls: number;
  read: number;
  written: number;
}

type Metered = D1Rows & { meta: { rows_read: number; rows_written: number } };

/** The same database, and the cost of a piece of work on it. */
export function meter(db: D1Binding): { db: D1Binding; costOf(work: () => unknown): Promise<Cost> } {
  /** The statements of the database itself, which alone can run them. */
  const own = new WeakMap<D1Statement, D1Statement>();
  let cost: Cost = { calls: 0, read: 0, written: 0 };
  const note = (results: D1Rows[]) => {
    cost.calls++;
    for (const { meta } of results as Metered[]) {
      cost.read += meta.rows_read;
      cost.written += meta.rows_written;
    }
    return results;
  };
  const wrap = (statement: D1Statement): D1Statement => {
    const wrapped: D1Statement = {
      bind: (...values) => wrap(statement.bind(...values)),
      all: async () => note([await statement.all()])[0]!,
    };
    own.set(wrapped, statement);
    return wrapped;
  };
  return {
    db: {
      prepare: (sql) => wrap(db.prepare(sql)),
      batch: async (statements) => note(await db.batch(statements.map((each) => own.get(each)!))),
    },
    async costOf(work) {
      cost = { calls: 0, read: 0, written: 0 };
      await work();
      return cost;
    },
  };
}
