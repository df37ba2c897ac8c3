/** Schemas of other releases: what is brought up to date, what is used as it is, and what is refused. */

import assert from "node:assert/strict";
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { migrate } from "../../../lib/stores/sqlite/schema.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import type { PetStore } from "../../../mod.ts";
import { withTempFolder } from "../../support/temp.ts";

const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;

/** What a later release leaves: a column and a version of its own, and what it says of older releases. */
function laterRelease(oldestVersion: number): string {
  return `BEGIN IMMEDIATE;
    ALTER TABLE pets ADD COLUMN colour TEXT;
    UPDATE compatibility SET oldest_version = ${oldestVersion}, oldest_release = '7.1.0';
    PRAGMA user_version = 99;
    COMMIT`;
}

const REFUSAL = {
  name: "StoreUnavailableError",
  message: /has schema version 99, which needs release 7\.1\.0 or later; this is \d+\.\d+\.\d+$/,
};

function withFile(use: (path: string, store: PetStore, other: DatabaseSync) => Promise<void>): Promise<void> {
  return withTempFolder(async (folder) => {
    const path = join(folder, "pets.db");
    const store = createSqliteStore(path);
    const other = new DatabaseSync(path);
    try {
      await store.create(REX);
      await use(path, store, other);
    } finally {
      other.close();
      await store.close();
    }
  });
}

function versionOf(db: DatabaseSync): unknown {
  return db.prepare("PRAGMA user_version").get()?.["user_version"];
}

test("a file that a later release has changed, and says that this one can use, is used and keeps its version", () =>
  withFile(async (path, store, other) => {
    other.exec(laterRelease(3));
    assert.equal(await store.create(REX), 2n);
    const second = createSqliteStore(path);
    assert.equal(await second.create(REX), 3n);
    await second.close();
    assert.equal(versionOf(other), 99);
  }));

test("a store whose file a later release migrates acknowledges nothing more, and goes on reading", () =>
  withFile(async (path, store, other) => {
    other.exec(laterRelease(99));
    await assert.rejects(async () => await store.create(REX), REFUSAL);
    assert.throws(() => createSqliteStore(path), REFUSAL);
    assert.match(await store.get(1n) ?? "", /"Rex"/);
    assert.equal(other.prepare("SELECT count(*) AS count FROM pets").get()?.["count"], 1);
    assert.equal(versionOf(other), 99);
  }));

for (
  const [what, sql] of [
    ["an older release's", "DROP TABLE idempotency_keys; DROP TABLE compatibility; PRAGMA user_version = 1"],
    ["an empty one", "DROP TABLE pets; PRAGMA user_version = 0; PRAGMA application_id = 0"],
  ] as const
) {
  test(`a store whose database is overwritten by ${what} says so, and adds nothing to it`, () =>
    withFile(async (_, store, other) => {
      other.exec(sql);
      const unavailable = { name: "StoreUnavailableError" };
      const request = { key: "k", fingerprint: "f", retentionMs: 1000 };
      await assert.rejects(async () => await store.create(REX), unavailable);
      await assert.rejects(async () => await store.createOnce?.(REX, request), unavailable);
      if (what === "an empty one") assert.throws(() => store.list({ after: 0n, limit: 10 }), unavailable);
    }));
}

test("a schema that a later release migrates while this one waits for the lock is not stamped down", () =>
  withTempFolder((folder) => {
    const path = join(folder, "pets.db");
    createSqliteStore(path).close();
    const [db, other] = [new DatabaseSync(path), new DatabaseSync(path)];
    other.exec("PRAGMA user_version = 2; DROP TABLE compatibility");
    // The lock is given to this one only after the later release has committed.
    const waiting = {
      prepare: (sql: string) => db.prepare(sql),
      exec: (sql: string) => {
        if (sql === "BEGIN IMMEDIATE") {
          other.exec(`CREATE TABLE compatibility AS SELECT 99 AS oldest_version, '7.1.0' AS oldest_release;
            PRAGMA user_version = 99`);
        }
        db.exec(sql);
      },
    };
    assert.throws(() => migrate(waiting as DatabaseSync, path), REFUSAL);
    assert.equal(versionOf(other), 99);
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    other.close();
    db.close();
  }));

test("a file whose process was killed in a rollback journal's transaction is put right and used", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, "pets.db");
    const killed = join(folder, "killed.db");
    const store = createSqliteStore(path);
    for (let count = 0; count < 100; count++) await store.create(REX);
    await store.close();
    const whole = readFileSync(path);
    const db = new DatabaseSync(path);
    // With next to no memory for it, a part of the transaction is in the file before its end.
    db.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; UPDATE pets SET name = hex(zeroblob(100))");
    copyFileSync(path, killed);
    copyFileSync(`${path}-journal`, `${killed}-journal`);
    db.exec("ROLLBACK");
    db.close();
    assert.notDeepEqual(readFileSync(killed), whole);
    const again = createSqliteStore(killed);
    assert.match(await again.get(100n) ?? "", /"Rex"/);
    assert.equal(await again.create(REX), 101n);
    await again.close();
    rmSync(killed);
  }));
