/** The requests that an SQLite file remembers. */

import assert from "node:assert/strict";
import { SCHEMA_VERSION } from "../../../lib/stores/sqlite/schema.ts";
import { formatPets } from "../../../lib/stores/store.ts";
import { execute, query, request, REX, test, usingStore } from "./support.ts";

/** The schema of version 1, as the first release created it. */
const VERSION_1 = `PRAGMA application_id = 0x50657473; PRAGMA user_version = 1; PRAGMA journal_mode = WAL;
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status INTEGER NOT NULL CHECK (status IN (0, 1, 2))
  ) STRICT;
  CREATE INDEX pets_by_status ON pets (status);
  INSERT INTO pets (name, category_id, status) VALUES ('Old', 7, 2);`;

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

test.eachPath("a file of schema version 1 is migrated and keeps its pets", async (path) => {
  execute(path, VERSION_1);
  await usingStore(path, async (store) => {
    assert.deepEqual(await store.createOnce?.(REX, request("a")), { outcome: "created", id: 2n });
    const pets = [{ id: 1n, name: "Old", categoryId: 7n, status: "sold" as const }, { id: 2n, ...REX }];
    assert.deepEqual(await store.list({ after: 0n, limit: 9 }), { json: formatPets(pets) });
  });
  assert.deepEqual(query(path, "PRAGMA user_version"), [{ user_version: SCHEMA_VERSION }]);
});
