/** Responses that are sent again, which a store with `changes()` makes possible. */

import { createMemoryStore } from "../../../mod.ts";
import type { PetStore } from "../../../lib/stores/store.ts";
import type { Api } from "../../../packages/conformance/lib/http/api.ts";
import assert from "node:assert/strict";
import { petOf, petsOf } from "../../../packages/conformance/lib/http/exact.ts";
import { addition, cases, type HttpCase } from "../../../packages/conformance/lib/http/case.ts";
import { addPets } from "../../../packages/conformance/lib/http/catalogue.ts";

const KEPT = addition(
  "pets.list",
  "What was read twice is sent again while nothing has changed, and never when it has",
);

let pets = createMemoryStore(), reads = 0, alterations = 0;

/** A store that counts reads. Its pets can be replaced, as by a backup that is restored. */
const store: PetStore = {
  changes: () => ({ additions: pets.changes!().additions, alterations }),
  create: (pet) => pets.create(pet),
  get(id) {
    reads++;
    return pets.get(id);
  },
  list(query) {
    reads++;
    return pets.list(query);
  },
  check() {},
  close() {},
};

function swap(): void {
  pets = createMemoryStore();
  alterations++;
}

/** Reads for the first time, after which nothing is kept. */
async function readOnce(api: Api, paths: readonly string[]): Promise<void> {
  for (const path of paths) await api.get(path);
}

/** How often reads of these paths ask the store. All must have this status. */
async function countReads(api: Api, paths: readonly string[], status = 200): Promise<number> {
  const before = reads;
  for (const path of paths) assert.equal((await api.get(path)).status, status, path);
  return reads - before;
}

/** A page that is full, the last page, which is not, and a pet. */
const PATHS = ["/pets?limit=2", "/pets", "/pets/1"];

export const KEPT_CASES: readonly HttpCase[] = cases({ ...KEPT, isLocal: true, options: { store } }, {
  async "asks the store again for what may have changed, and for nothing else"(api) {
    swap();
    await readOnce(api, [...PATHS, "/pets/4"]);
    assert.equal(await countReads(api, ["/pets/4", "/pets/4"], 404), 1);
    await addPets(api, ["sold", "sold", "sold"]);
    assert.equal(await countReads(api, PATHS), 3);
    assert.equal(await countReads(api, [...PATHS, ...PATHS]), 0);
    await addPets(api, ["sold"]);
    assert.equal(await countReads(api, [...PATHS, ...PATHS]), 1);
    assert.equal(petsOf(await api.get("/pets")).length, 4);
    assert.equal(await countReads(api, ["/pets/4", "/pets/4"]), 1);
    swap();
    assert.equal(await countReads(api, ["/pets/1", "/pets/4"], 404), 2);
    await addPets(api, ["pending"]);
    assert.deepEqual(petsOf(await api.get("/pets?limit=2")).map(({ status }) => status), ["pending"]);
    assert.equal(petOf(await api.get("/pets/1")).status, "pending");
    assert.equal(await countReads(api, ["/pets?limit=2", "/pets/1"]), 0);
  },
  async "asks for the key before it sends a response again"(api) {
    swap();
    await addPets(api, ["sold"]);
    await readOnce(api, PATHS);
    assert.equal(await countReads(api, PATHS), 3);
    assert.equal(await countReads(api, PATHS), 0);
    for (const path of PATHS) {
      for (const key of [null, "wrong"]) assert.equal((await api.get(path, { key })).status, 401);
      // No operation has this method.
      assert.equal((await api.send("QUERY", path)).status, 405);
    }
  },
});
