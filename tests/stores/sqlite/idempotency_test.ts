/** What an SQLite file remembers of requests that may be sent again. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { formatPets, type IdempotentRequest, type PetDraft } from "../../../mod.ts";
import { withTempFolder } from "../../support/temp.ts";

const REX: PetDraft = { name: "Rex", categoryId: 7n, status: "sold" };

/** The schema of version 1, as the first release made it. */
const VERSION_1 = `PRAGMA application_id = 0x50657473; PRAGMA user_version = 1; PRAGMA journal_mode = WAL;
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status INTEGER NOT NULL CHECK (status IN (0, 1, 2))
  ) STRICT;
  CREATE INDEX pets_by_status ON pets (status);
  INSERT INTO pets (name, category_id, status) VALUES ('Old', 7, 2);`;

function request(key: string, retentionMs = 60_000): IdempotentRequest {
  return { key, fingerprint: "f", retentionMs };
}

function withPath(run: (path: string) => Promise<void>): Promise<void> {
  return withTempFolder((folder) => run(join(folder, "pets.db")));
}

/** Runs a query over a connection of its own. */
function query(path: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all().map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

test("a request is remembered over a restart, and by every store on the file", () =>
  withPath(async (path) => {
    const first = createSqliteStore(path);
    const second = createSqliteStore(path);
    assert.deepEqual(await first.createOnce?.(REX, request("a")), { outcome: "created", id: 1n });
    assert.deepEqual(await second.createOnce?.(REX, request("a")), { outcome: "replayed", id: 1n });
    await first.close();
    await second.close();
    const third = createSqliteStore(path);
    assert.deepEqual(await third.createOnce?.(REX, request("a")), { outcome: "replayed", id: 1n });
    await third.close();
  }));

test("a pet and the memory of its request are in one transaction", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    // What comes second is made to fail: the pet must be gone with it, and no other that came along.
    query(path, "CREATE TRIGGER full BEFORE INSERT ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'full'); END");
    const sent = [store.create(REX), store.createOnce?.(REX, request("a")), store.create(REX)];
    const outcomes = await Promise.allSettled(sent);
    assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual(query(path, "SELECT id FROM pets"), [{ id: 1 }, { id: 2 }]);
    query(path, "DROP TRIGGER full");
    assert.deepEqual(await store.createOnce?.(REX, request("a")), { outcome: "created", id: 3n });
    await store.close();
  }));

test("requests that have expired are forgotten as new ones come, two for each", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    // Together, since each alone would find those before it.
    await Promise.all(Array.from({ length: 9 }, (_, i) => store.createOnce?.(REX, request(`old ${i}`, 0))));
    const left = () => query(path, `SELECT count(*) AS count FROM idempotency_keys WHERE key LIKE 'old %'`);
    const before = Number(left()[0]?.["count"]);
    for (let i = 0; i < 9; i++) await store.createOnce?.(REX, request(`new ${i}`));
    assert.deepEqual(left(), [{ count: 0 }]);
    assert.ok(before <= 9);
    assert.deepEqual(query(path, "SELECT count(*) AS count FROM idempotency_keys"), [{ count: 9 }]);
    await store.close();
  }));

test("a request that is none is refused, and makes no pet", () =>
  withPath(async (path) => {
    const store = createSqliteStore(path);
    const wrong = [{ key: undefined }, { fingerprint: undefined }, { retentionMs: NaN }, { retentionMs: 1.5 }];
    for (const parts of wrong) {
      const request = { key: "a", fingerprint: "f", retentionMs: 1, ...parts } as unknown as IdempotentRequest;
      await assert.rejects(async () => await store.createOnce?.(REX, request), /./, JSON.stringify(parts));
    }
    assert.deepEqual(await store.list({ after: 0n, limit: 1 }), { json: "[]" });
    await store.close();
  }));

test("a file of schema version 1 is brought up to date, and keeps its pets", () =>
  withPath(async (path) => {
    const old = new DatabaseSync(path);
    old.exec(VERSION_1);
    old.close();
    const store = createSqliteStore(path);
    assert.deepEqual(await store.createOnce?.(REX, request("a")), { outcome: "created", id: 2n });
    const pets = [{ id: 1n, name: "Old", categoryId: 7n, status: "sold" as const }, { id: 2n, ...REX }];
    assert.deepEqual(await store.list({ after: 0n, limit: 9 }), { json: formatPets(pets) });
    await store.close();
    assert.deepEqual(query(path, "PRAGMA user_version"), [{ user_version: 3 }]);
  }));
