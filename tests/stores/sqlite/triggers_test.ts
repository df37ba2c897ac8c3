/** Triggers of another program in the file: a client is told of no pet that is not stored, and of no other pet. */

import assert from "node:assert/strict";
import { importPets } from "../../../lib/stores/sqlite/transfer.ts";
import { createMany, query, request, REX, test } from "./support.ts";

const STRANGE = {
  name: "StoreUnavailableError",
  message: /stored another row, or none.*is there a trigger of another program/,
};

/** What a trigger can do to the pet with the name Odd, so that its create is refused with those of its transaction. */
const TRIGGERS: [what: string, sql: string][] = [
  ["ignores it", "BEFORE INSERT ON pets WHEN NEW.name = 'Odd' BEGIN SELECT raise(IGNORE); END"],
  [
    "adds another row before it",
    "BEFORE INSERT ON pets WHEN NEW.name = 'Odd' " +
    "BEGIN INSERT INTO pets (name, category_id, status) VALUES ('more', 1, 1); END",
  ],
];

/**
 * Pets of which the last one has the name Odd: alone, also after another pet was undone, and more
 * than a statement of many rows takes.
 */
const GROUPS = [0, 1, 0, 39].map((others) => [...Array(others).fill(REX), { ...REX, name: "Odd" }]);

for (const [what, sql] of TRIGGERS) {
  test.eachStore(`a create is undone if a trigger ${what}, and so is an import`, async (store, other, path) => {
    await createMany(store, 3);
    other.exec(`CREATE TRIGGER strange ${sql}`);
    for (const pets of GROUPS) {
      const created = await Promise.allSettled(pets.map((pet) => store.create(pet)));
      for (const each of created) assert.equal(each.status, "rejected");
      await assert.rejects(importPets(path, pets, new AbortController().signal), STRANGE);
    }
    assert.deepEqual(query(path, "SELECT count(*) AS count FROM pets"), [{ count: 3 }]);
    other.exec("DROP TRIGGER strange");
    assert.deepEqual(await createMany(store, 2), [4n, 5n]);
  });
}

test.eachStore("a create is stored if a trigger copies it elsewhere", async (store, other) => {
  other.exec("CREATE TABLE audit (id INTEGER)");
  other.exec("CREATE TRIGGER copy AFTER INSERT ON pets BEGIN INSERT INTO audit VALUES (NEW.id); END");
  assert.deepEqual((await createMany(store, 40)).at(-1), 40n);
});

test.eachStore("a create with an Idempotency-Key is undone if a trigger drops its key", async (store, other) => {
  other.exec("CREATE TRIGGER strange BEFORE INSERT ON idempotency_keys BEGIN SELECT raise(IGNORE); END");
  await assert.rejects(store.createOnce(REX, request("a")), STRANGE);
  other.exec("DROP TRIGGER strange");
  assert.deepEqual(await store.createOnce(REX, request("a")), { outcome: "created", id: 1n });
});
