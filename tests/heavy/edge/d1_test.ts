/** The store of `@petstore/edge/d1` on a database of workerd, and what its operations cost. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { createD1Store, type D1Binding, type D1Rows, type D1Statement } from "@petstore/edge/d1";
import { storeCases, type StoreFixture } from "../../../packages/conformance/mod.ts";
import { draft, request } from "../../../packages/conformance/lib/store/case.ts";
import { keyOf } from "../../../packages/conformance/lib/store/keys.ts";
import { testWorkers } from "./support/workerd.ts";

/** A database that notes what D1 reports of its calls. */
interface MeteredDatabase extends D1Binding {
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
function testD1(
  title: string,
  use: (database: MeteredDatabase, other: MeteredDatabase, context: TestContext) => Promise<void>,
): void {
  testWorkers(
    title,
    "support/d1_worker.ts",
    (origin, other, context) => use(databaseAt(origin), databaseAt(other), context),
  );
}

async function dropTables(db: D1Binding): Promise<void> {
  const names = ["schema", "pets", "requests", "keys"];
  await db.batch(names.map((name) => db.prepare(`DROP TABLE IF EXISTS petstore_${name}`)));
}

testD1("a D1 store keeps the contract in two Workers", async (db, other, context) => {
  let opened = 0;
  // A case has one namespace.
  const fixture: StoreFixture = {
    sharing: "machines",
    open: () => createD1Store(opened++ % 2 === 0 ? db : other),
    remove: () => dropTables(db),
  };
  for (const { name, skip, run } of await storeCases(fixture)) {
    await context.test(`a D1 store ${name}${skip ? ` (skipped: ${skip})` : ""}`, { skip }, run);
  }
});

testD1("two Workers that use an empty database at once make its tables once, and both serve", async (db, other) => {
  for (let round = 0; round < 8; round++) {
    const stores = [db, db, other, other].map(createD1Store);
    const ids = await Promise.all(stores.map((store) => store.create(draft())));
    assert.deepEqual(ids.toSorted(), [1n, 2n, 3n, 4n]);
    await dropTables(db);
  }
});

/** 300 pets, and 50 expired requests: a step without an index would read them all. */
const FILL = [
  `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300)
  INSERT INTO petstore_pets (name, category_id, status) SELECT 'Rex', n, 2 * (n % 3 = 0) FROM numbers`,
  `INSERT INTO petstore_requests SELECT substr('expired' || id || 'kkkkkkkkkkkkkkkkkkkkkk', 1, 22), 'f', id, id
  FROM petstore_pets WHERE id <= 50`,
];

testD1("an operation on D1 is one round trip, and reads and writes few rows", async (db) => {
  const store = createD1Store(db);
  await store.check();
  for (const sql of FILL) await db.prepare(sql).all();

  /**
   * What is done, and the most rows that it may read and write. The rows of an index, and those
   * that SQLite copies, count too.
   */
  const costs: [what: string, work: () => unknown, read: number, written: number][] = [
    ["a get", () => store.get(150n), 1, 0],
    ["a late page, and the row after it", () => store.list({ after: 250n, limit: 20 }), 21, 0],
    ["a page of a status", () => store.list({ after: 9n, limit: 20, status: "sold" }), 21, 0],
    ["a create", () => store.create(draft()), 5, 3],
    ["a new request, which also deletes expired ones", () => store.createOnce!(draft(), request("new")), 18, 8],
    ["a repeated request", () => store.createOnce!(draft(), request("new")), 16, 2],
    ["a new key", () => store.keys.add(keyOf("a")), 1, 3],
    ["a list of keys", () => store.keys.list(), 2, 0],
  ];
  for (const [what, work, read, written] of costs) {
    const cost = db.cost = { calls: 0, read: 0, written: 0 };
    await work();
    const isRight = cost.calls === 1 && cost.read <= read && cost.written <= written;
    assert.ok(isRight, `${what}: ${JSON.stringify(cost)}`);
  }
});
