/** Triggers of another program in the file: a client is told of no pet that is not stored, and of no other pet. */

import assert from "node:assert/strict";
import { importPets } from "../../../lib/stores/sqlite/importer.ts";
import { type IdempotentOutcome, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { createMany, execute, query, request, REX, test, usingStore } from "./support.ts";

/** What a trigger can do to a create, and whether the create is then refused. */
const TRIGGERS: [what: string, sql: string, isRefused: boolean][] = [
  ["ignores the row", "BEFORE INSERT ON pets BEGIN SELECT raise(IGNORE); END", true],
  ["ignores some rows", "BEFORE INSERT ON pets WHEN NEW.name = 'Odd' BEGIN SELECT raise(IGNORE); END", true],
  ["deletes the row", "AFTER INSERT ON pets BEGIN DELETE FROM pets WHERE id = NEW.id; END", true],
  [
    "adds another row after it",
    "AFTER INSERT ON pets BEGIN INSERT INTO pets (name, category_id, status) VALUES ('more', 1, 1); END",
    true,
  ],
  [
    "adds another row before it",
    "BEFORE INSERT ON pets BEGIN INSERT INTO pets (name, category_id, status) VALUES ('more', 1, 1); END",
    true,
  ],
  ["gives it another id", "AFTER INSERT ON pets BEGIN UPDATE pets SET id = id + 1000 WHERE id = NEW.id; END", true],
  ["copies it elsewhere", "AFTER INSERT ON pets BEGIN INSERT INTO audit VALUES (NEW.id); END", false],
];

/** Alone, fewer than a statement of many rows takes, exactly so many, and more. */
const COUNTS = [1, 5, 16, 40];

for (const [what, sql, isRefused] of TRIGGERS) {
  test.eachOther(`a create is ${isRefused ? "undone" : "stored"} if a trigger ${what}`, async (store, other, path) => {
    execute(path, "CREATE TABLE audit (id INTEGER)");
    const kept = await createMany(store, 3);
    other.exec(`CREATE TRIGGER strange ${sql}`);
    for (const count of COUNTS) {
      const pets = Array.from({ length: count }, (_, i) => ({ ...REX, name: i === count - 1 ? "Odd" : `Pet ${i}` }));
      const created = await Promise.allSettled(pets.map((pet) => store.create(pet)));
      for (const [i, result] of created.entries()) {
        if (result.status === "rejected") {
          assert.match(String(result.reason), /StoreUnavailableError.* is there a trigger of another program/);
        } else assert.equal(JSON.parse(store.get(result.value)!).name, pets[i]!.name);
      }
      // The last one is affected by each trigger.
      assert.equal(created.at(-1)!.status, isRefused ? "rejected" : "fulfilled", `${count} creates`);
      if (!isRefused) kept.push(...created.map((result) => (result as PromiseFulfilledResult<bigint>).value));
    }
    other.exec("DROP TRIGGER strange");
    const after = await createMany(store, 20);
    const known = new Set(query(path, "SELECT id FROM pets").map(({ id }) => BigInt(id as number)));
    for (const id of [...kept, ...after]) assert.ok(known.has(id));
    assert.equal(new Set([...kept, ...after]).size, kept.length + after.length);
  });
}

test.eachOther(
  "a create with an Idempotency-Key is undone if a trigger drops or changes its key",
  async (store, other) => {
    for (
      const sql of [
        "BEFORE INSERT ON idempotency_keys BEGIN SELECT raise(IGNORE); END",
        "AFTER INSERT ON idempotency_keys BEGIN DELETE FROM idempotency_keys WHERE key = NEW.key; END",
        "AFTER INSERT ON idempotency_keys BEGIN UPDATE idempotency_keys SET pet_id = 7 WHERE key = NEW.key; END",
        "AFTER INSERT ON idempotency_keys BEGIN UPDATE idempotency_keys SET fingerprint = 'z' WHERE key = NEW.key; END",
      ]
    ) {
      other.exec(`CREATE TRIGGER strange ${sql}`);
      await assert.rejects(
        () => store.createOnce(REX, request("a")) as Promise<IdempotentOutcome>,
        StoreUnavailableError,
      );
      other.exec("DROP TRIGGER strange");
    }
    assert.deepEqual(await store.createOnce(REX, request("a")), { outcome: "created", id: 1n });
  },
);

test.path("an import is undone if a trigger ignores one of its pets", async (path) => {
  await usingStore(path, (store) => createMany(store, 2));
  execute(path, "CREATE TRIGGER strange BEFORE INSERT ON pets WHEN NEW.name = 'Odd' BEGIN SELECT raise(IGNORE); END");
  const pets = Array.from({ length: 100 }, (_, i) => ({ ...REX, name: i === 50 ? "Odd" : "Rex" }));
  await assert.rejects(importPets(path, pets, new AbortController().signal), /is there a trigger of another program/);
  assert.deepEqual(query(path, "SELECT count(*) AS count FROM pets"), [{ count: 2 }]);
});
