/** Group commit on SQLite: shared transactions, invalid pets, the locks of other connections, and failed commits. */

import assert from "node:assert/strict";
import { formatPets, type PetDraft, type PetStatus, StoreUnavailableError } from "../../../mod.ts";
import { countCommits, createMany, query, REX, testWriters, withOther, withStore } from "./support.ts";

/** The numbers from `first` on, as ids. */
function ids(first: number, count: number): bigint[] {
  return Array.from({ length: count }, (_, i) => BigInt(first + i));
}

testWriters(
  "creates that arrive together share one transaction, in order of arrival",
  () =>
    withStore(async (store, path) => {
      await store.create(REX);
      const before = countCommits(path);
      assert.deepEqual(await createMany(store, 100), ids(2, 100));
      assert.equal(countCommits(path), before + 1);
      await store.create(REX);
      assert.equal(countCommits(path), before + 2);
    }),
);

for (
  const [fault, bad] of [
    ["an unknown status", { ...REX, status: "lost" as unknown as PetStatus }],
    ["a status that is a member of every object", { ...REX, status: "constructor" as unknown as PetStatus }],
    ["a category id beyond int64", { ...REX, categoryId: 2n ** 63n }],
    ["no name", { ...REX, name: null as unknown as string }],
  ] as const
) {
  // Three go into statements of their own; of forty-one, some share a statement with the bad one.
  for (const company of [2, 40]) {
    testWriters(`a create with ${fault} fails alone among ${company} others`, () =>
      withStore(async (store) => {
        const drafts = Array<PetDraft>(company).fill(REX).toSpliced(company / 2, 0, bad);
        const outcomes = await Promise.allSettled(drafts.map((draft) => store.create(draft)));
        assert.deepEqual(outcomes.flatMap(({ status }, i) => status === "rejected" ? [i] : []), [company / 2]);
        const refused = outcomes[company / 2];
        // An invalid draft is a defect of the caller, not an outage.
        assert(refused?.status === "rejected" && !(refused.reason instanceof StoreUnavailableError));
        const pets = outcomes.flatMap((outcome) =>
          outcome.status === "fulfilled" ? [{ id: outcome.value, ...REX }] : []
        );
        assert.deepEqual(await store.list({ after: 0n, limit: 100 }), { json: formatPets(pets) });
      }));
  }
}

testWriters(
  "while another connection has the write lock, creates wait for it and reads continue",
  () =>
    withOther(async (store, other) => {
      other.exec("BEGIN IMMEDIATE");
      const creates = createMany(store, 600);
      // Timers fire and reads are answered meanwhile: SQLite's own way to wait would stop both.
      for (let i = 0; i < 5; i++) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        assert.deepEqual(await store.list({ after: 0n, limit: 1 }), { json: "[]" });
      }
      other.exec("COMMIT");
      assert.deepEqual(await creates, ids(1, 600));
    }),
);

testWriters(
  "at most 10,000 creates wait for another connection's lock, and more are refused at once",
  () =>
    withOther(async (store, other) => {
      other.exec("BEGIN IMMEDIATE");
      const first = createMany(store, 10_000);
      await new Promise((resolve) => setImmediate(resolve));
      for (let i = 0; i < 3; i++) {
        await assert.rejects(async () => await store.create(REX), /Too many creates wait for the disk/);
      }
      other.exec("ROLLBACK");
      assert.deepEqual(await first, ids(1, 10_000));
      assert.equal(await store.create(REX), 10_001n);
    }),
);

/** Each pet refers to a missing row, which SQLite detects only at the end of the transaction. */
const FAIL_AT_COMMIT = `
  CREATE TABLE kennels (id INTEGER PRIMARY KEY);
  CREATE TABLE stays (kennel INTEGER REFERENCES kennels (id) DEFERRABLE INITIALLY DEFERRED);
  CREATE TRIGGER stay AFTER INSERT ON pets BEGIN INSERT INTO stays VALUES (1); END`;

testWriters(
  "a create whose commit fails leaves neither a pet nor a lock, and the next one succeeds",
  () =>
    withOther(async (store, other, path) => {
      other.exec(FAIL_AT_COMMIT);
      await assert.rejects(async () => await store.create(REX), /FOREIGN KEY constraint failed/);
      // This would fail while the store had a transaction open.
      other.exec("DROP TRIGGER stay");
      assert.equal(await store.create(REX), 1n);
      assert.deepEqual(query(path, "SELECT count(*) AS count FROM pets"), [{ count: 1 }]);
    }),
);
