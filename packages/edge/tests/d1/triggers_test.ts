/** Triggers of another program in the database: a client is told of no pet that is not stored, and of no other pet. */

import assert from "node:assert/strict";
import test from "node:test";
import { createDurableObjectStore } from "../../lib/d1/d1_store.ts";
import { StoreUnavailableError } from "@petstore/petstore/store";
import { draft, request } from "../../../conformance/lib/store/case.ts";
import { openStorage } from "./support.ts";

const OTHER = "INSERT INTO petstore_pets (name, category_id, status) VALUES ('other', 1, 1)";

/** What a trigger can do to a create, and whether a create, and one with an Idempotency-Key, are then refused. */
const TRIGGERS: [what: string, sql: string, isRefused: boolean, isRefusedOnce: boolean][] = [
  ["ignores the pet", "BEFORE INSERT ON petstore_pets BEGIN SELECT raise(IGNORE); END", true, true],
  ["adds a pet after it", `AFTER INSERT ON petstore_pets BEGIN ${OTHER}; END`, false, false],
  ["adds a pet before it", `BEFORE INSERT ON petstore_pets BEGIN ${OTHER}; END`, false, true],
  ["deletes the pet", "AFTER INSERT ON petstore_pets BEGIN DELETE FROM petstore_pets; END", true, true],
  ["gives it another id", "AFTER INSERT ON petstore_pets BEGIN UPDATE petstore_pets SET id = 1000; END", true, true],
  ["ignores the request", "BEFORE INSERT ON petstore_requests BEGIN SELECT raise(IGNORE); END", false, true],
];

for (const [what, sql, isRefused, isRefusedOnce] of TRIGGERS) {
  test(`a trigger that ${what} makes no create answer with another pet`, async () => {
    const storage = openStorage();
    const store = createDurableObjectStore(storage);
    await store.check();
    storage.sql.exec(`CREATE TRIGGER strange ${sql}`).toArray();
    const nameOf = async (id: bigint) => JSON.parse((await store.get(id))!).name;
    const create = async () => await nameOf(await store.create(draft({ name: "Plain" })));
    const createOnce = async () => {
      const outcome = await store.createOnce!(draft({ name: "Once" }), request("k"));
      return await nameOf((outcome as { id: bigint }).id);
    };

    if (isRefused) await assert.rejects(create, StoreUnavailableError);
    else assert.equal(await create(), "Plain");
    if (isRefusedOnce) await assert.rejects(createOnce, StoreUnavailableError);
    else assert.equal(await createOnce(), "Once");
    storage.sql.exec("DROP TRIGGER strange").toArray();
    assert.equal(await createOnce(), "Once");
  });
}
