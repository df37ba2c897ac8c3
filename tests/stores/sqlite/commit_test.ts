/** Group commit on SQLite: shared transactions, invalid pets, the locks of other connections, and failed commits. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatPets, type PetDraft, type PetStatus, StoreUnavailableError } from "../../../mod.ts";
import { createMany, query, REX, withOther, withStore } from "./support.ts";

/** The numbers from `first` on, as ids. */
function ids(first: number, count: number): bigint[] {
  return Array.from({ length: count }, (_, i) => BigInt(first + i));
}

/**
 * Counts the commits in the write-ahead log. Only the last frame of a transaction states the size of the database, and only
 * valid frames have the salt of the header (https://sqlite.org/fileformat2.html#walformat).
 */
function countCommits(path: string): number {
  const log = readFileSync(path + "-wal");
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength);
  const frameSize = 24 + view.getUint32(8);
  let commits = 0;
  for (let frame = 32; frame + frameSize <= log.byteLength; frame += frameSize) {
    if (view.getUint32(frame + 4) !== 0 && view.getBigUint64(frame + 8) === view.getBigUint64(16)) commits++;
  }
  return commits;
}

test("creates that arrive together share one transaction, in order of arrival", () =>
  withStore(async (store, path) => {
    await store.create(REX);
    const before = countCommits(path);
    assert.deepEqual(await createMany(store, 100), ids(2, 100));
    assert.equal(countCommits(path), before + 1);
    await store.create(REX);
    assert.equal(countCommits(path), before + 2);
  }));

test("more creates than may wait are stored if they arrive in one turn, because full batches commit at once", () =>
  withStore(async (store) => assert.deepEqual(await createMany(store, 20_000), ids(1, 20_000))));

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
    test(`a create with ${fault} fails alone among ${company} others`, () =>
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

test("a create fails and leaves nothing while another connection keeps the write lock, and a later one succeeds", () =>
  withOther(async (store, other) => {
    other.exec("BEGIN IMMEDIATE");
    await assert.rejects(async () => await store.create(REX), StoreUnavailableError);
    assert.deepEqual(await store.list({ after: 0n, limit: 1 }), { json: "[]" });
    other.exec("ROLLBACK");
    assert.equal(await store.create(REX), 1n);
    assert.deepEqual(await store.list({ after: 0n, limit: 2 }), { json: formatPets([{ id: 1n, ...REX }]) });
  }));

test("while another connection has the write lock, creates wait for it and reads continue", () =>
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
  }));

test("at most 10,000 creates wait for another connection's lock, and more are refused at once", () =>
  withOther(async (store, other) => {
    other.exec("BEGIN IMMEDIATE");
    const outcomes = Promise.allSettled(Array.from({ length: 10_700 }, () => store.create(REX)));
    await assert.rejects(async () => await store.create(REX), /Too many creates wait for the disk/);
    other.exec("ROLLBACK");
    const refused = (await outcomes).filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 700);
    assert.deepEqual(await store.list({ after: 9_999n, limit: 2 }), { json: formatPets([{ id: 10_000n, ...REX }]) });
  }));

/** Each pet refers to a missing row, which SQLite detects only at the end of the transaction. */
const FAIL_AT_COMMIT = `
  CREATE TABLE kennels (id INTEGER PRIMARY KEY);
  CREATE TABLE stays (kennel INTEGER REFERENCES kennels (id) DEFERRABLE INITIALLY DEFERRED);
  CREATE TRIGGER stay AFTER INSERT ON pets BEGIN INSERT INTO stays VALUES (1); END`;

test("a create whose commit fails leaves neither a pet nor a lock, and the next one succeeds", () =>
  withOther(async (store, other, path) => {
    other.exec(FAIL_AT_COMMIT);
    await assert.rejects(async () => await store.create(REX), /FOREIGN KEY constraint failed/);
    // This would fail while the store had a transaction open.
    other.exec("DROP TRIGGER stay");
    assert.equal(await store.create(REX), 1n);
    assert.deepEqual(query(path, "SELECT count(*) AS count FROM pets"), [{ count: 1 }]);
  }));
