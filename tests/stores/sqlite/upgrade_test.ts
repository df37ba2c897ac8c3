/** Files that earlier releases have made. */

import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { test } from "node:test";
import { EARLIER_MARK } from "../../../lib/stores/earlier_requests.ts";
import { SCHEMA_VERSION } from "../../../lib/stores/sqlite/schema.ts";
import { assertRemembered, looksUpEarlier, SQLITE_FILES } from "../../support/earlier/earlier.ts";
import { execute, query, usingStore, withPath } from "./support.ts";

for (const each of SQLITE_FILES) {
  test(`a request that ${each.file} remembers gets its pet again, after the upgrade and each later start`, () =>
    withPath(async (path) => {
      copyFileSync(new URL(`../../support/earlier/${each.file}`, import.meta.url), path);
      for (let start = 0; start < 2; start++) {
        await usingStore(path, (store) => assertRemembered(store, each));
        assert.deepEqual(query(path, "PRAGMA user_version"), [{ user_version: SCHEMA_VERSION }]);
      }
      execute(path, `UPDATE idempotency_keys SET expires_at = 1 WHERE key <> '${EARLIER_MARK}'`);
      await usingStore(path, async (store) => {
        for (const { key, fingerprint } of query(path, "SELECT key, fingerprint FROM idempotency_keys")) {
          const request = { key: String(key), fingerprint: String(fingerprint) };
          if (key !== EARLIER_MARK) assert.equal(await store.findEarlier?.(request), undefined);
        }
      });
      execute(path, "UPDATE idempotency_keys SET expires_at = 1");
      await usingStore(path, (store) => assert.ok(!looksUpEarlier(store)));
    }));
}
