/** The costs of the D1 store: round trips, and the rows that D1 reads and writes, which Cloudflare charges for. */

import assert from "node:assert/strict";
import { createD1Store } from "@petstore/petstore/d1";
import type { IdempotentRequest, PetDraft } from "../../mod.ts";
import { keyStatements } from "../../lib/stores/sql_keys.ts";
import {
  ALL_PETS,
  DELETE_REQUESTS,
  INSERT_PET,
  INSERT_PET_ONCE,
  INSERT_REQUEST,
  PETS_OF_STATUS,
  SELECT_ONE,
  SELECT_PET,
  SELECT_REQUEST,
  WRITE_NOTHING,
} from "../../lib/stores/d1/statements.ts";
import { type Cost, MeteredDatabase } from "./support/metered_database.ts";
import { testWorkers, Workers } from "./support/workerd.ts";

const IDLE = "export default { fetch: () => new Response() }";

const PET: PetDraft = { name: "Rex", categoryId: 7n, status: "available" };

function request(key: string, retentionMs = 60_000): IdempotentRequest {
  return { key: key.padEnd(22, "k"), fingerprint: "f".repeat(22), retentionMs };
}

/** 300 pets, a third of them sold, and 50 expired requests. */
const FILL = [
  `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300)
  INSERT INTO petstore_pets (name, category_id, status) SELECT 'Rex', n, 2 * (n % 3 = 0) FROM numbers`,
  `INSERT INTO petstore_requests SELECT substr('expired' || id || 'kkkkkkkkkkkkkkkkkkkkkk', 1, 22), 'f', id, id
  FROM petstore_pets WHERE id <= 50`,
];

testWorkers(
  "an operation on D1 is one round trip, and reads and writes no more rows than the contract says",
  async () => {
    await using workers = new Workers({ scripts: [IDLE] });
    const database = await workers.miniflare.getD1Database("DB0");
    const db = new MeteredDatabase(database);
    const store = createD1Store(db);
    await store.check();
    for (const sql of FILL) await database.prepare(sql).run();

    const costs: [what: string, work: () => unknown, cost: Cost][] = [
      ["a get", () => store.get(150n), { calls: 1, read: 1, written: 0 }],
      ["a get of nothing", () => store.get(5000n), { calls: 1, read: 1, written: 0 }],
      ["a check", () => store.check(), { calls: 1, read: 1, written: 0 }],
      // The rows of a page and one more, anywhere.
      ["a page", () => store.list({ after: 0n, limit: 100 }), { calls: 1, read: 101, written: 0 }],
      ["a late page", () => store.list({ after: 250n, limit: 20 }), { calls: 1, read: 21, written: 0 }],
      ["a page of a status", () => store.list({ after: 9n, limit: 20, status: "sold" }), {
        calls: 1,
        read: 21,
        written: 0,
      }],
      ["no page", () => store.list({ after: 9n, limit: 20, status: "pending" }), { calls: 1, read: 1, written: 0 }],
      // The row, its index entry, and the last id; SQLite counts what it copies on the way as read.
      ["a create", () => store.create(PET), { calls: 1, read: 5, written: 3 }],
      // Four rows more with their index entries: the request, its expired one, and two other expired ones.
      ["a new request", () => store.createOnce!(PET, request("new")), { calls: 1, read: 16, written: 7 }],
      ["an expired request", () => store.createOnce!(PET, request("expired49")), { calls: 1, read: 20, written: 8 }],
      ["a repeated request", () => store.createOnce!(PET, request("new")), { calls: 1, read: 17, written: 2 }],
      ["a check of writes", () => store.checkWrites!(), { calls: 1, read: 4, written: 3 }],
      ["a list of keys", () => store.keys.list(), { calls: 1, read: 1, written: 0 }],
    ];
    const seen: Record<string, Cost> = {};
    for (const [what, work] of costs) seen[what] = await db.costOf(work);
    assert.deepEqual(seen, Object.fromEntries(costs.map(([what, _work, cost]) => [what, cost])));
  },
);

const KEYS = keyStatements("petstore_keys");

const SCHEMA = "SEARCH petstore_schema USING INTEGER PRIMARY KEY (rowid=?)";
const BY_KEY = "SEARCH petstore_requests USING PRIMARY KEY (key=?)";
const BY_KEY_ID = "SEARCH petstore_keys USING INDEX sqlite_autoindex_petstore_keys_1 (id=?)";

/** Steps of SQLite's plans that find rows. */
const PLANS: [what: string, sql: string, steps: string[]][] = [
  ["a pet", SELECT_PET, ["SEARCH petstore_pets USING INTEGER PRIMARY KEY (rowid=?)"]],
  ["whether there is a pet", SELECT_ONE, ["SCAN petstore_pets USING COVERING INDEX petstore_pets_by_status"]],
  ["a page", ALL_PETS, ["SEARCH pet USING INTEGER PRIMARY KEY (rowid>?)"]],
  ["a page of a status", PETS_OF_STATUS, [
    "SEARCH pet USING INDEX petstore_pets_by_status (status=? AND rowid>?)",
  ]],
  ["where a pet goes", INSERT_PET, [SCHEMA]],
  ["whether a request is new", INSERT_PET_ONCE, [SCHEMA, BY_KEY]],
  // For the largest id, this follows the right edge of the tree.
  ["the pet of a new request", INSERT_REQUEST, [SCHEMA, "SEARCH petstore_pets"]],
  ["a request", SELECT_REQUEST, [BY_KEY]],
  ["expired requests", DELETE_REQUESTS, [
    BY_KEY,
    BY_KEY,
    "SEARCH petstore_requests USING COVERING INDEX petstore_requests_by_expiry (expires_at<?)",
  ]],
  ["where to write nothing", WRITE_NOTHING[1], [BY_KEY]],
  ["a key to replace", KEYS.expire, [
    BY_KEY_ID,
    BY_KEY_ID,
    "SEARCH petstore_keys USING INDEX sqlite_autoindex_petstore_keys_2 (digest=?)",
  ]],
  ["a replaced key", KEYS.insertReplacing, [BY_KEY_ID]],
  ["a key to revoke", KEYS.revoke, [BY_KEY_ID]],
];

testWorkers("the D1 store finds everything through an index, without sorting", async (context) => {
  await using workers = new Workers({ scripts: [IDLE] });
  const db = await workers.miniflare.getD1Database("DB0");
  await createD1Store(db).check();
  for (const [what, sql, steps] of PLANS) {
    await context.test(what, async () => {
      const values = Array(sql.split("?").length - 1).fill("1");
      const { results } = await db.prepare(`EXPLAIN QUERY PLAN ${sql}`).bind(...values).all();
      const details = results.map((row: Record<string, unknown>) => String(row["detail"]));
      assert.deepEqual(details.filter((detail: string) => detail.includes("petstore_") || / pet /.test(detail)), steps);
      assert.ok(details.every((detail: string) => !detail.includes("TEMP B-TREE")), details.join("\n"));
    });
  }
});
