/** The costs of the D1 store: round trips, and the rows that D1 reads and writes, which Cloudflare charges for. */

import assert from "node:assert/strict";
import { createD1Store } from "@petstore/edge/d1";
import type { IdempotentRequest, PetDraft } from "../../../lib/stores/store.ts";
import { keyOf } from "../../../packages/conformance/lib/store/keys.ts";
import { testD1 } from "./support/d1_database.ts";

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
  "an operation on D1 is one round trip, and reads and writes few rows",
  async ([db]) => {
    const store = createD1Store(db!);
    await store.check();
    for (const sql of FILL) await db!.prepare(sql).all();
    for (let i = 0; i < 20; i++) await store.keys.add(keyOf(`old ${i}`));

    /** What is done, and the most rows that it may read and write. The rows of an index, and those that SQLite copies, count too. */
    const costs: [what: string, work: () => unknown, read: number, written: number][] = [
      ["a get", () => store.get(150n), 1, 0],
      ["a check", () => store.check(), 1, 0],
      ["a page and the row after it", () => store.list({ after: 0n, limit: 100 }), 101, 0],
      ["a late page", () => store.list({ after: 250n, limit: 20 }), 21, 0],
      ["a page of a status", () => store.list({ after: 9n, limit: 20, status: "sold" }), 21, 0],
      ["a page of a status that no pet has", () => store.list({ after: 9n, limit: 20, status: "pending" }), 1, 0],
      ["a create", () => store.create(PET), 9, 3],
      ["a new request, which also deletes expired ones", () => store.createOnce!(PET, request("new")), 19, 8],
      ["an expired request", () => store.createOnce!(PET, request("expired49")), 23, 9],
      ["a repeated request", () => store.createOnce!(PET, request("new")), 17, 2],
      ["a check of writes", () => store.checkWrites!(), 4, 3],
      ["a new key", () => store.keys.add(keyOf("a")), 1, 3],
      ["a revoked key", () => store.keys.revoke("key-a", new Date(8)), 2, 1],
      ["a list of keys", () => store.keys.list(), 22, 0],
    ];
    for (const [what, work, read, written] of costs) {
      const cost = db!.cost = { calls: 0, read: 0, written: 0 };
      await work();
      const isRight = cost.calls === 1 && cost.read <= read && cost.written <= written;
      assert.ok(isRight, `${what}: ${JSON.stringify(cost)}`);
    }
  },
);
