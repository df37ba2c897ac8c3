/** A D1 database of workerd: a Worker runs the statements that a test sends, and two Workers share the database. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { D1Binding, D1Rows, D1Statement } from "@petstore/edge/d1";
import { testWorkers, Workers } from "./workerd.ts";

/** Runs one statement by itself, and several as a batch, as the store has asked for. */
const WORKER = `export default {
  async fetch(request, { DB }) {
    const { isBatch, statements } = await request.json();
    const prepared = statements.map(([sql, values]) => DB.prepare(sql).bind(...values));
    try {
      return Response.json({ results: isBatch ? await DB.batch(prepared) : [await prepared[0].all()] });
    } catch ({ message }) {
      return Response.json({ message });
    }
  },
};`;

/** Statements do not know their text, so it is kept beside them. */
const SENT = new WeakMap<D1Statement, [sql: string, values: unknown[]]>();

/** A database that notes what D1 reports of its calls. */
export interface MeteredDatabase extends D1Binding {
  /** The calls, and the rows that they have read and written, since a test has set them to zero. */
  cost: { calls: number; read: number; written: number };
}

function databaseAt(origin: string): MeteredDatabase {
  const database: MeteredDatabase = {
    cost: { calls: 0, read: 0, written: 0 },
    prepare: (sql) => statementOf(sql, []),
    batch: (statements) => run(statements, true),
  };
  const run = async (statements: D1Statement[], isBatch: boolean): Promise<D1Rows[]> => {
    const body = JSON.stringify({ isBatch, statements: statements.map((each) => SENT.get(each)) });
    const { results, message } = await (await fetch(origin, { method: "POST", body })).json();
    if (message !== undefined) throw new Error(message);
    database.cost.calls++;
    for (const { meta } of results) {
      database.cost.read += meta.rows_read;
      database.cost.written += meta.rows_written;
    }
    return results;
  };
  const statementOf = (sql: string, values: unknown[]): D1Statement => {
    const statement: D1Statement = {
      bind: (...given) => statementOf(sql, given),
      all: async () => (await run([statement], false))[0]!,
    };
    SENT.set(statement, [sql, values]);
    return statement;
  };
  return database;
}

/** A test with an empty database, as each of two Workers sees it. */
export function testD1(
  title: string,
  use: (databases: MeteredDatabase[], context: TestContext) => Promise<void>,
): void {
  testWorkers(title, async (context) => {
    await using workers = new Workers({ scripts: [WORKER, WORKER] });
    const databases = (await workers.origins()).map(databaseAt);
    assert.equal(databases.length, 2);
    await use(databases, context);
  });
}
