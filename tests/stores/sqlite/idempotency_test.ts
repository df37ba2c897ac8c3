/** The requests that an SQLite file remembers. */

import assert from "node:assert/strict";
import { execute, query, request, REX, test } from "./support.ts";

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
