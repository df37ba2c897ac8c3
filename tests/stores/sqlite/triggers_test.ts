/** Triggers of another program in the file: a client is told of no pet that is not stored, and of no other pet. */

import assert from "node:assert/strict";
import { importPets } from "../../../lib/stores/sqlite/importer.ts";
import { createMany, query, request, REX, test } from "./support.ts";

const STRANGE = { name: "StoreUnavailableError", message: /is there a trigger of another program/ };

/** What a trigger can do to the pet with the name Odd, so that its create is refused with those of its transaction. */
const TRIGGERS: [what: string, sql: string][] = [
  ["ignores it", "BEFORE INSERT ON pets WHEN NEW.name = 'Odd' BEGIN SELECT raise(IGNORE); END"],
  ["deletes it", "AFTER INSERT ON pets WHEN NEW.name = 'Odd' BEGIN DELETE FROM pets WHERE id = NEW.id; END"],
  [
    "adds another row before it",
    "BEFORE INSERT ON pets WHEN NEW.name = 'Odd' " +
    "BEGIN INSERT INTO pets (name, category_id, status) VALUES ('more', 1, 1); END",
  ],
];

/** Pets of which the last one has the name Odd: alone, and more than a statement of many rows takes. */
const GROUPS = [[], Array(39).fill(REX)].map((others) => [...others, { ...REX, name: "Odd" }]);

for (const [what, sql] of TRIGGERS) {
  test.eachOther(`a create is undone if a trigger ${what}, and so is an import`, async (store, other, path) => {
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

test.eachOther("creates are undone if a trigger deletes one of them before the last", async (store, other, path) => {
  other.exec("CREATE TRIGGER strange AFTER INSERT ON pets WHEN NEW.id = 2 BEGIN DELETE FROM pets WHERE id = 1; END");
  const created = await Promise.allSettled([store.create(REX), store.create(REX)]);
  assert.deepEqual(created.map(({ status }) => status), ["rejected", "rejected"]);
  assert.deepEqual(query(path, "SELECT count(*) AS count FROM pets"), [{ count: 0 }]);
});

test.eachOther("a create is stored if a trigger copies it elsewhere", async (store, other) => {
  other.exec("CREATE TABLE audit (id INTEGER)");
  other.exec("CREATE TRIGGER copy AFTER INSERT ON pets BEGIN INSERT INTO audit VALUES (NEW.id); END");
  assert.deepEqual((await createMany(store, 40)).at(-1), 40n);
});

test.eachOther(
  "a create with an Idempotency-Key is undone if a trigger drops its key, or gives it another pet",
  async (store, other) => {
    for (
      const sql of [
        "BEFORE INSERT ON idempotency_keys BEGIN SELECT raise(IGNORE); END",
        "AFTER INSERT ON idempotency_keys BEGIN UPDATE idempotency_keys SET pet_id = 7; END",
      ]
    ) {
      other.exec(`CREATE TRIGGER strange ${sql}`);
      await assert.rejects(store.createOnce(REX, request("a")), STRANGE);
      other.exec("DROP TRIGGER strange");
    }
    assert.deepEqual(await store.createOnce(REX, request("a")), { outcome: "created", id: 1n });
  },
);
