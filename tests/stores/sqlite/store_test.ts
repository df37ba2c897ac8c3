/** What an SQLite store promises beyond the common contract: the file, other connections, transactions, and its end. */

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { openDatabase } from "../../../lib/stores/sqlite/open.ts";
import {
  formatPet,
  formatPets,
  type PetDraft,
  type PetPage,
  type PetStatus,
  StoreUnavailableError,
} from "../../../mod.ts";
import { withTempFolder } from "../../support/temp.ts";

const REX: PetDraft = { name: "Rex", categoryId: 9223372036854775807n, status: "sold" };

test("pets survive close and reopen, and ids go on where they stopped", () =>
  withPath(async (path) => {
    const first = createSqliteStore(path);
    assert.equal(await first.create(REX), 1n);
    await first.close();
    const second = createSqliteStore(path);
    assert.equal(await second.get(1n), formatPet({ id: 1n, ...REX }));
    assert.equal(await second.create(REX), 2n);
    await second.close();
  }));

test("creates that had begun when the store was closed are in the file", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    const begun = store.create(REX);
    await store.close();
    assert.equal(await begun, 1n);
    const reopened = createSqliteStore(path);
    assert.equal(await reopened.get(1n), formatPet({ id: 1n, ...REX }));
    await reopened.close();
  }));

test("an id is not given again after another program has deleted the last row", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    for (let i = 0; i < 3; i++) await store.create(REX);
    execute(path, "DELETE FROM pets WHERE id = 3");
    assert.equal(await store.get(3n), undefined);
    assert.equal(await store.create(REX), 4n);
    await store.close();
    execute(path, "DELETE FROM pets");
    const reopened = createSqliteStore(path);
    assert.equal(await reopened.create(REX), 5n);
    await reopened.close();
  }));

test("two stores on one file see each other's pets at once and give different ids", () =>
  withPath(async (path) => {
    const [a, b] = [createSqliteStore(path), createSqliteStore(path)];
    assert.equal(await a.create(REX), 1n);
    assert.equal(await b.get(1n), formatPet({ id: 1n, ...REX }));
    assert.equal(await b.create(REX), 2n);
    const both = formatPets([{ id: 1n, ...REX }, { id: 2n, ...REX }]);
    assert.deepEqual(await a.list({ after: 0n, limit: 2 }), { json: both });
    assert.deepEqual(await b.list({ after: 0n, limit: 2, status: "sold" }), { json: both });
    const ids = await Promise.all([a, b, a, b, a, b].map((store) => store.create(REX)));
    assert.equal(new Set(ids).size, 6);
    await a.close();
    assert.equal(await b.create(REX), 9n);
    await b.close();
  }));

test("the file has a write-ahead log, an application id and a schema version", () =>
  withPath(async (path) => {
    await createSqliteStore(path).close();
    assert.deepEqual(execute(path, "PRAGMA journal_mode"), { journal_mode: "wal" });
    assert.deepEqual(execute(path, "PRAGMA application_id"), { application_id: 0x50657473 });
    assert.deepEqual(execute(path, "PRAGMA user_version"), { user_version: 3 });
  }));

test("a commit waits until the log is on disk", () =>
  withPath((path) => {
    // PRAGMA synchronous belongs to a connection and is not kept in the file, so the store's own kind of connection is
    // asked (2 is FULL, https://sqlite.org/pragma.html#pragma_synchronous).
    const db = openDatabase(path).db;
    const settings = ["synchronous", "fullfsync", "checkpoint_fullfsync"].map((name) => {
      return db.prepare(`PRAGMA ${name}`).get()?.[name];
    });
    db.close();
    assert.deepEqual(settings, [2, 1, 1]);
  }));

test("creates that arrive together share one transaction, in the order of their arrival", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    await store.create(REX);
    const before = countCommits(path);
    const ids = await Promise.all(Array.from({ length: 100 }, () => store.create(REX)));
    assert.deepEqual(ids, Array.from({ length: 100 }, (_, i) => BigInt(i + 2)));
    assert.equal(countCommits(path), before + 1);
    await store.create(REX);
    assert.equal(countCommits(path), before + 2);
    await store.close();
  }));

for (
  const [fault, bad] of [
    ["a status that is none", { ...REX, status: "lost" as unknown as PetStatus }],
    ["a status that every object has", { ...REX, status: "constructor" as unknown as PetStatus }],
    ["a category id beyond int64", { ...REX, categoryId: 2n ** 63n }],
    ["no name", { ...REX, name: null as unknown as string }],
  ] as const
) {
  // Three go into statements of their own, forty share some with the bad one.
  for (const company of [2, 40]) {
    test(`a create with ${fault} fails alone among ${company} others`, () =>
      withPath(async (path) => {
        const store = createSqliteStore(path);
        const drafts = Array<PetDraft>(company).fill(REX).toSpliced(company / 2, 0, bad);
        const outcomes = await Promise.allSettled(drafts.map((draft) => store.create(draft)));
        assert.deepEqual(outcomes.flatMap(({ status }, i) => status === "rejected" ? [i] : []), [company / 2]);
        const refused = outcomes[company / 2];
        // A draft that is wrong is a defect of the caller; no later attempt would mend it.
        assert(refused?.status === "rejected" && !(refused.reason instanceof StoreUnavailableError));
        const pets = outcomes.flatMap((outcome) =>
          outcome.status === "fulfilled" ? [{ id: outcome.value, ...REX }] : []
        );
        assert.deepEqual(await store.list({ after: 0n, limit: 100 }), { json: formatPets(pets) });
        await store.close();
      }));
  }
}

test("a create behind another connection's write lock fails and leaves nothing, and a later one succeeds", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    await assert.rejects(Promise.resolve(store.create(REX)), StoreUnavailableError);
    // Readers do not wait for writers where there is a write-ahead log.
    assert.deepEqual(await store.list({ after: 0n, limit: 1 }), { json: "[]" });
    other.exec("ROLLBACK");
    other.close();
    assert.equal(await store.create(REX), 1n);
    assert.deepEqual(await store.list({ after: 0n, limit: 2 }), { json: formatPets([{ id: 1n, ...REX }]) });
    await store.close();
  }));

test("while another connection has the write lock, creates wait for it and reads go on", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const creates = Promise.all(Array.from({ length: 600 }, () => store.create(REX)));
    // Timers fire and reads are answered meanwhile: SQLite's own way to wait would stop both.
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      assert.deepEqual(await store.list({ after: 0n, limit: 1 }), { json: "[]" });
    }
    other.exec("COMMIT");
    assert.deepEqual(await creates, Array.from({ length: 600 }, (_, i) => BigInt(i + 1)));
    other.close();
    await store.close();
  }));

test("creates that wait for another connection's lock are bounded, and those beyond are refused at once", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const outcomes = Promise.allSettled(Array.from({ length: 10_700 }, () => store.create(REX)));
    await assert.rejects(Promise.resolve(store.create(REX)), /Too many creates wait/);
    other.exec("ROLLBACK");
    other.close();
    const refused = (await outcomes).filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 700);
    assert.deepEqual(await store.list({ after: 9_999n, limit: 2 }), { json: formatPets([{ id: 10_000n, ...REX }]) });
    await store.close();
  }));

test("a walk shows each pet once where rows have been deleted behind the store's back", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    await Promise.all(Array.from({ length: 60 }, () => store.create(REX)));
    execute(path, "DELETE FROM pets WHERE id % 7 < 3 OR id > 55");
    const expected = Array.from({ length: 55 }, (_, i) => i + 1).filter((id) => id % 7 >= 3);
    for (const limit of [1, 3, 10, 100]) {
      const seen: number[] = [];
      for (let after: bigint | undefined = 0n; after !== undefined;) {
        const page: PetPage = await store.list({ after, limit });
        seen.push(...JSON.parse(page.json).map(({ id }: { id: number }) => id));
        after = page.next;
      }
      assert.deepEqual(seen, expected, `limit ${limit}`);
    }
    await store.close();
  }));

test("a store whose table has been taken away says so, and takes it for a defect", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    execute(path, "DROP TABLE pets");
    assert.throws(() => store.check(), /no such table: pets/);
    await assert.rejects(Promise.resolve(store.create(REX)), /no such table: pets/);
    await store.close();
  }));

test("a closed store is unavailable", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    await store.close();
    await assert.rejects(Promise.resolve(store.create(REX)), StoreUnavailableError);
    assert.throws(() => store.get(1n), StoreUnavailableError);
    assert.throws(() => store.list({ after: 0n, limit: 1 }), StoreUnavailableError);
    assert.throws(() => store.check(), StoreUnavailableError);
    await store.close();
  }));

test("stores in :memory: share nothing", async () => {
  const [a, b] = [createSqliteStore(":memory:"), createSqliteStore(":memory:")];
  await a.create(REX);
  assert.equal(await b.get(1n), undefined);
  await a.close();
  await b.close();
});

function withPath(run: (path: string) => void | Promise<void>): Promise<void> {
  return withTempFolder((folder) => run(join(folder, "pets.db")));
}

/** Runs one statement over a connection of its own, and gives the first row of its result. */
function execute(path: string, sql: string): Record<string, unknown> {
  const db = new DatabaseSync(path);
  try {
    return { ...db.prepare(sql).get() };
  } finally {
    db.close();
  }
}

/**
 * The commits in the write-ahead log: its frames that state the size of the database, which only the last frame of a
 * transaction does, and bear the salt of the header (https://sqlite.org/fileformat2.html#walformat). PRAGMA data_version
 * would tell that something was committed, but not how often.
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

test("a store whose file has been deleted acknowledges nothing any more, and says that it is not ready", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, "pets.db");
    const store = createSqliteStore(path);
    await store.create({ name: "Rex", categoryId: 7n, status: "sold" });
    for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true });
    await assert.rejects(async () => await store.create({ name: "Bo", categoryId: 7n, status: "sold" }), {
      name: "StoreUnavailableError",
      message: /has been deleted, moved or replaced/,
    });
    assert.throws(() => store.check(), { name: "StoreUnavailableError" });
    await store.close();
  }));

test("ids are exact where another program has given one beyond 2^53, each create alone or many together", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    execute(path, "INSERT INTO pets VALUES (9007199254740993, 'import', 1, 0)");
    assert.equal(await store.create(REX), 9007199254740994n);
    assert.equal(await store.create(REX), 9007199254740995n);
    const ids = await Promise.all(Array.from({ length: 20 }, () => store.create(REX)));
    assert.deepEqual(ids, Array.from({ length: 20 }, (_, i) => 9007199254740996n + BigInt(i)));
    await store.close();
  }));
