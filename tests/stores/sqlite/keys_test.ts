/** The API keys in an SQLite file: what a lock stops, changes that are noticed, and files that no store has opened. */

import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { listKeys } from "../../../lib/stores/sqlite/keys.ts";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { execute, keyOf, test, usingStore, withOther } from "./support.ts";

test("keys are read while another connection has the write lock", () =>
  withOther(async ({ keys }, other) => {
    await keys.add(keyOf("a"));
    other.exec("BEGIN IMMEDIATE");
    const { version } = await keys.listSince!("");
    assert.deepEqual(await keys.list(), [keyOf("a")]);
    assert.deepEqual(await keys.listSince!(version), { version });
    other.exec("ROLLBACK");
  }));

/** Changes of two keys by another program, of which some balance each other. */
const CHANGES = [
  "expires_at = 5",
  "revoked_at = CASE id WHEN 'key-a' THEN 1 END",
  "digest = digest || '0'",
  "created_at = created_at + CASE id WHEN 'key-a' THEN 1 ELSE -1 END",
];

test("another program's changes of keys are noticed, and pets that it adds are none", () =>
  withOther(async ({ keys }, other, path) => {
    for (const id of ["a", "b"]) await keys.add(keyOf(id));
    await keys.revoke("key-b", new Date(1));
    let { version } = await keys.listSince!("");
    for (const change of CHANGES) {
      other.exec("INSERT INTO pets (name, category_id, status) VALUES ('Bo', 1, 0)");
      assert.deepEqual(await keys.listSince!(version), { version });
      other.exec(`UPDATE api_keys SET ${change}`);
      const seen = await keys.listSince!(version);
      assert.deepEqual(seen.keys, await keys.list(), change);
      version = seen.version;
    }
    // Nobody would see a change of a file that was moved.
    renameSync(path, `${path}.moved`);
    assert.throws(() => keys.listSince!(version), StoreUnavailableError);
  }));

test.path("the keys of a file are read without a store, and no other file is read", async (path) => {
  await usingStore(path, async ({ keys }) => {
    for (const id of ["b", "a"]) await keys.add(keyOf(id));
  });
  assert.deepEqual(await listKeys(path), [keyOf("b"), keyOf("a")]);
  writeFileSync(`${path}.text`, "x".repeat(5000));
  execute(`${path}.other`, "CREATE TABLE api_keys (id)");
  for (const other of [`${path}.text`, `${path}.other`, `${path}.none`]) {
    await assert.rejects(listKeys(other), StoreUnavailableError, other);
  }
});
