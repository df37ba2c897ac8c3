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
  // Together, because each later one would delete those before it.
  await Promise.all(Array.from({ length: 9 }, (_, i) => store.createOnce?.(REX, request(`old ${i}`, "f", 0))));
  assert.ok(count("") <= 9);
  for (let i = 0; i < 9; i++) await store.createOnce?.(REX, request(`new ${i}`));
  assert.equal(count("WHERE key LIKE 'old %'"), 0);
  assert.equal(count(""), 9);
});
