/** The costs of the D1 store: round trips, and the rows that D1 reads and writes, which Cloudflare charges for. */

import assert from "node:assert/strict";
import { createD1Store } from "@petstore/edge/d1";
import type { IdempotentRequest, PetDraft } from "../../../lib/stores/store.ts";
import { keyOf } from "../../../packages/conformance/lib/store/keys.ts";
import { type Cost, meter } from "./support/metered_database.ts";
import { testD1 } from "./support/workerd.ts";

const PET: PetDraft = { name: "Rex", categoryId: 7n, status: "available" };

function request(key: string, retentionMs = 60_000): IdempotentRequest {
  return { key: key.padEnd(22, "k"), fingerprint: "f".repeat(22), retentionMs };
}

/** 300 pets, a third of them sold, and 50 expired requests: a step without an index would read them all. */
const FILL = [
  `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300)
  INSERT INTO petstore_pets (name, category_id, status) SELECT 'Rex', n, 2 * (n % 3 = 0) FROM numbers`,
  `INSERT INTO petstore_requests SELECT substr('expired' || id || 'kkkkkkkkkkkkkkkkkkkkkk', 1, 22), 'f', id, id
  FROM petstore_pets WHERE id <= 50`,
];

testD1(
  "an operation on D1 is one round trip, and reads and writes no more rows than the contract says",
  async (database) => {
    const { db, costOf } = meter(database);
    const store = createD1Store(db);
    await store.check();
    for (const sql of FILL) await database.prepare(sql).run();
    for (let i = 0; i < 20; i++) await store.keys.add(keyOf(`old ${i}`));

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
      // Four rows more with their index entries: the request, its expired one, and two other expired ones. The next id is read too.
      ["a new request", () => store.createOnce!(PET, request("new")), { calls: 1, read: 20, written: 7 }],
      ["an expired request", () => store.createOnce!(PET, request("expired49")), { calls: 1, read: 24, written: 8 }],
      ["a repeated request", () => store.createOnce!(PET, request("new")), { calls: 1, read: 19, written: 2 }],
      ["a check of writes", () => store.checkWrites!(), { calls: 1, read: 4, written: 3 }],
      ["a new key", () => store.keys.add(keyOf("a")), { calls: 1, read: 1, written: 3 }],
      ["a replacing key", () => store.keys.add(keyOf("b"), { id: "key-a", expires: new Date(9) }), {
        calls: 1,
        read: 4,
        written: 4,
      }],
      ["a revoked key", () => store.keys.revoke("key-b", new Date(8)), { calls: 1, read: 2, written: 1 }],
      ["a list of keys", () => store.keys.list(), { calls: 1, read: 22, written: 0 }],
    ];
    const seen: Record<string, Cost> = {};
    for (const [what, work] of costs) seen[what] = await costOf(work);
    assert.deepEqual(seen, Object.fromEntries(costs.map(([what, _work, cost]) => [what, cost])));
  },
);
