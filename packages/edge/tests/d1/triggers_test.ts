/** Triggers of another program in the database: a client is told of no pet that is not stored, and of no other pet. */

import assert from "node:assert/strict";
import test from "node:test";
import { createDurableObjectStore, d1Schema } from "../../lib/d1/d1_store.ts";
import { StoreUnavailableError } from "@petstore/petstore/store";
import { draft, request } from "../../../conformance/lib/store/case.ts";
import { openStorage } from "./support.ts";

const OTHER = "INSERT INTO petstore_pets (name, category_id, status) VALUES ('other', 1, 1)";

/** What a trigger can do to a create, and whether a create, and one with an Idempotency-Key, are then refused. */
const TRIGGERS: [what: string, sql: string, isRefused: boolean, isRefusedOnce: boolean][] = [
  ["ignores the pet", "BEFORE INSERT ON petstore_pets BEGIN SELECT raise(IGNORE); END", true, true],
  ["adds a pet after it", `AFTER INSERT ON petstore_pets BEGIN ${OTHER}; END`, false, false],
  ["adds a pet before it", `BEFORE INSERT ON petstore_pets BEGIN ${OTHER}; END`, false, true],
  [
    "deletes the pet",
    "AFTER INSERT ON petstore_pets BEGIN DELETE FROM petstore_pets WHERE id = new.id; END",
    true,
    true,
  ],
  ["gives it another id", "AFTER INSERT ON petstore_pets BEGIN UPDATE petstore_pets SET id = 1000; END", true, true],
  ["ignores the request", "BEFORE INSERT ON petstore_requests BEGIN SELECT raise(IGNORE); END", false, true],
];

for (const [what, sql, isRefused, isRefusedOnce] of TRIGGERS) {
  test(`a trigger that ${what} makes no create answer with another pet`, () => {
    const storage = openStorage();
    for (const statement of d1Schema().split(";\n").filter(Boolean)) storage.sql.exec(statement).toArray();
    const store = createDurableObjectStore(storage);
    store.create(draft({ name: "First" }));
    storage.sql.exec(`CREATE TRIGGER strange ${sql}`).toArray();
    const nameOf = (id: unknown) => JSON.parse(store.get(id as bigint) as string).name;
    const once = (name: string) => store.createOnce!(draft({ name }), request(name)) as { outcome: string; id: bigint };

    if (isRefused) assert.throws(() => store.create(draft({ name: "Plain" })), StoreUnavailableError);
    else assert.equal(nameOf(store.create(draft({ name: "Plain" }))), "Plain");
    if (isRefusedOnce) assert.throws(() => once("Once"), StoreUnavailableError);
    else assert.equal(nameOf(once("Once").id), "Once");

    storage.sql.exec("DROP TRIGGER strange").toArray();
    const again = once("Once");
    assert.deepEqual([again.outcome, nameOf(again.id)], [isRefusedOnce ? "created" : "replayed", "Once"]);
    assert.deepEqual(once("Once"), { ...again, outcome: "replayed" });
    assert.equal(nameOf(once("Last").id), "Last");
  });
}
