/** The API keys in an SQLite file: what a lock stops, and changes that are noticed. */

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { keyOf, test } from "./support.ts";

test.store("keys are read while another connection has the write lock", async ({ keys }, other) => {
  await keys.add(keyOf("a"));
  other.exec("BEGIN IMMEDIATE");
  const { version } = await keys.listSince!("");
  assert.deepEqual(await keys.list(), [keyOf("a")]);
  assert.deepEqual(await keys.listSince!(version), { version });
  other.exec("ROLLBACK");
});

/** Changes of two keys by another program, of which some balance each other. */
const CHANGES = [
  "expires_at = 5",
  "revoked_at = CASE id WHEN 'key-a' THEN 1 END",
  "digest = digest || '0'",
  "created_at = created_at + CASE id WHEN 'key-a' THEN 1 ELSE -1 END",
];

test.store(
  "another program's changes of keys are noticed, and pets that it adds are none",
  async ({ keys }, other, path) => {
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
    // Other programs would not see a change of a file that was moved.
    renameSync(path, `${path}.moved`);
    assert.throws(() => keys.listSince!(version), StoreUnavailableError);
  },
);
