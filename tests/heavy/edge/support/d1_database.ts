/** A D1 database of workerd, as each of two Workers sees it. */

import type { TestContext } from "node:test";
import type { D1Binding, D1Rows, D1Statement } from "@petstore/edge/d1";
import { testWorkers } from "./workerd.ts";

/** A database that notes what D1 reports of its calls. */
export interface MeteredDatabase extends D1Binding {
  /** The calls, and the rows that they have read and written, since a test has set them to zero. */
  cost: { calls: number; read: number; written: number };
}

interface MeteredRows extends D1Rows {
  meta: { rows_read: number; rows_written: number };
}

function databaseAt(origin: string): MeteredDatabase {
  async function batch(statements: D1Statement[]): Promise<D1Rows[]> {
    const response = await fetch(origin, { method: "POST", body: JSON.stringify({ statements }) });
    if (!response.ok) throw new Error(await response.text());
    const results: MeteredRows[] = await response.json();
    database.cost.calls++;
    for (const { meta } of results) {
      database.cost.read += meta.rows_read;
      database.cost.written += meta.rows_written;
    }
    return results;
  }

  function prepare(sql: string, values: unknown[] = []): D1Statement & { sql: string; values: unknown[] } {
    const statement = {
      sql,
      values,
      bind: (...given: unknown[]) => prepare(sql, given),
      all: async () => (await batch([statement]))[0]!,
    };
    return statement;
  }

  const database: MeteredDatabase = { cost: { calls: 0, read: 0, written: 0 }, prepare, batch };
  return database;
}

/** A test with an empty database. */
export function testD1(
  title: string,
  use: (database: MeteredDatabase, other: MeteredDatabase, context: TestContext) => Promise<void>,
): void {
  testWorkers(
    title,
    "support/d1_worker.ts",
    (origin, other, context) => use(databaseAt(origin), databaseAt(other), context),
  );
}
