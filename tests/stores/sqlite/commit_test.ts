/** Group commit on SQLite: shared transactions, invalid pets, the locks of other connections, failed commits, and remembered requests. */

import assert from "node:assert/strict";
import { formatPets, type PetStatus } from "../../../lib/stores/store.ts";
import { countCommits, createMany, execute, query, request, REX, test } from "./support.ts";

/** The numbers from `first` on, as ids. */
function ids(first: number, count: number): bigint[] {
  return Array.from({ length: count }, (_, i) => BigInt(first + i));
}

test.eachStore("creates that arrive together share one transaction, in order of arrival", async (store, path) => {
  await store.create(REX);
  const before = countCommits(path);
  assert.deepEqual(await createMany(store, 100), ids(2, 100));
  assert.equal(countCommits(path), before + 1);
  await store.create(REX);
  assert.equal(countCommits(path), before + 2);
});

const INVALID = [
  { status: "lost" as unknown as PetStatus },
  // A member of every object.
  { status: "constructor" as unknown as PetStatus },
  { categoryId: 2n ** 63n },
  { name: null as unknown as string },
];

test.eachStore("an invalid create fails alone among others, as a defect of the caller and not as an outage", async (store) => {
  const outcomes = await Promise.allSettled(
    [{}, ...INVALID, { toString: () => "Rex" }].map((part) => store.create({ ...REX, ...part })),
  );
  const results = outcomes.map((each) => each.status === "fulfilled" ? each.value : each.reason.name);
  assert.deepEqual(results, [1n, ...INVALID.map(() => "TypeError"), 2n]);
  assert.deepEqual(await store.list({ after: 0n, limit: 9 }), {
    json: formatPets([{ id: 1n, ...REX }, { id: 2n, ...REX }]),
  });
});

test.eachOther(
  "while another connection has the write lock, creates wait for it and reads continue",
  async (store, other) => {
    other.exec("BEGIN IMMEDIATE");
    const creates = createMany(store, 600);
    // Timers fire and reads are answered meanwhile: SQLite's own way to wait would stop both.
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      assert.deepEqual(await store.list({ after: 0n, limit: 1 }), { json: "[]" });
    }
    other.exec("COMMIT");
    assert.deepEqual(await creates, ids(1, 600));
  },
);

/** Each pet refers to a missing row, which SQLite detects only at the end of the transaction. */
const FAIL_AT_COMMIT = `
  CREATE TABLE kennels (id INTEGER PRIMARY KEY);
  CREATE TABLE stays (kennel INTEGER REFERENCES kennels (id) DEFERRABLE INITIALLY DEFERRED);
  CREATE TRIGGER stay AFTER INSERT ON pets BEGIN INSERT INTO stays VALUES (1); END`;

test.eachOther(
  "a create whose commit fails leaves neither a pet nor a lock, and the next one succeeds",
  async (store, other, path) => {
    other.exec(FAIL_AT_COMMIT);
    await assert.rejects(async () => await store.create(REX), /FOREIGN KEY constraint failed/);
    // This would fail while the store had a transaction open.
    other.exec("DROP TRIGGER stay");
    assert.equal(await store.create(REX), 1n);
    assert.deepEqual(query(path, "SELECT count(*) AS count FROM pets"), [{ count: 1 }]);
  },
);

test.eachStore("a pet and its remembered request are stored in one transaction", async (store, path) => {
  // The request fails, so its pet must disappear too.
  execute(path, "CREATE TRIGGER full BEFORE INSERT ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'full'); END");
  await assert.rejects(store.createOnce(REX, request("a")), /full/);
  await assert.rejects(store.checkWrites(), /full/);
  assert.deepEqual(query(path, "SELECT id FROM pets"), []);
  execute(path, "DROP TRIGGER full");
  assert.deepEqual(await store.createOnce?.(REX, request("a")), { outcome: "created", id: 1n });
});

test.eachStore("expired requests are deleted as new ones arrive, two for each", async (store, path) => {
  const count = (keys: string) => Number(query(path, `SELECT count(*) AS n FROM idempotency_keys ${keys}`)[0]?.["n"]);
  for (let i = 0; i < 9; i++) await store.createOnce?.(REX, request(`old ${i}`));
  execute(path, "UPDATE idempotency_keys SET expires_at = 0");
  for (let i = 0; i < 5; i++) {
    await store.createOnce?.(REX, request(`new ${i}`));
    assert.equal(count("WHERE key LIKE 'old %'"), Math.max(0, 7 - 2 * i));
  }
  assert.equal(count(""), 5);
});
