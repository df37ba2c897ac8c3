/** Schemas of other releases: which are migrated, used unchanged, or refused. */

import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { request, REX, test, usingStore } from "./support.ts";

/** The migration of a later release: a new column, a new version, and the oldest version that can use the file. */
function laterRelease(oldestVersion: number): string {
  return `BEGIN IMMEDIATE;
    ALTER TABLE pets ADD COLUMN colour TEXT;
    UPDATE compatibility SET oldest_version = ${oldestVersion}, oldest_release = '7.1.0';
    PRAGMA user_version = 99;
    COMMIT`;
}

const REFUSAL = {
  name: "StoreUnavailableError",
  message: /has schema version 99, which needs release 7\.1\.0 or later; this is release \d+\.\d+\.\d+$/,
};

function versionOf(db: DatabaseSync): unknown {
  return db.prepare("PRAGMA user_version").get()?.["user_version"];
}

test.eachOther(
  "a file that a later release has migrated compatibly is used and keeps its version",
  async (store, other, path) => {
    other.exec(laterRelease(3));
    assert.equal(await store.create(REX), 1n);
    assert.equal(await usingStore(path, (second) => second.create(REX)), 2n);
    assert.equal(versionOf(other), 99);
  },
);

test.eachOther(
  "a store whose file a later release migrates incompatibly acknowledges no more creates, and continues to read",
  async (store, other, path) => {
    await store.create(REX);
    other.exec(laterRelease(99));
    await assert.rejects(async () => await store.create(REX), REFUSAL);
    assert.throws(() => createSqliteStore(path), REFUSAL);
    assert.throws(() => store.keys.revoke("a", new Date()), REFUSAL);
    assert.match(await store.get(1n) ?? "", /"Rex"/);
    assert.equal(other.prepare("SELECT count(*) AS count FROM pets").get()?.["count"], 1);
    assert.equal(versionOf(other), 99);
    other.exec("DROP TABLE pets");
    // Other connections are noticed in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    assert.throws(() => store.get(1n), REFUSAL);
  },
);

for (
  const [what, sql] of [
    [
      "the database of an older release",
      "DROP TABLE idempotency_keys; DROP TABLE compatibility; PRAGMA user_version = 1",
    ],
    ["an empty database", "DROP TABLE pets; PRAGMA user_version = 0; PRAGMA application_id = 0"],
  ] as const
) {
  test.eachOther(
    `a store whose file is overwritten by ${what} reports that, and adds nothing to it`,
    async (store, other) => {
      await store.create(REX);
      other.exec(sql);
      const unavailable = { name: "StoreUnavailableError" };
      await assert.rejects(async () => await store.create(REX), unavailable);
      await assert.rejects(async () => await store.createOnce?.(REX, request("k")), unavailable);
      if (what === "an empty database") assert.throws(() => store.list({ after: 0n, limit: 10 }), unavailable);
    },
  );
}
