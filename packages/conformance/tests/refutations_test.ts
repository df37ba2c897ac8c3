/** The contract finds wrong stores. Each breaks one guarantee in a way that occurs in real stores. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore } from "@petstore/petstore";
import type { PetStore } from "@petstore/petstore/store";
import { storeCases, type StoreFixture } from "../mod.ts";

/** Makes the members that a wrong store has in place of those of a store in memory. */
type Defect = (pets: PetStore) => Partial<PetStore>;

/** Takes a request with a known key for the same one, whatever its pet is. */
const keyAlone: Defect = (pets) => {
  const createOnce = pets.createOnce!.bind(pets);
  return { createOnce: (pet, request) => createOnce(pet, { ...request, fingerprint: "same" }) };
};

/** Assumes that another page follows each full page. */
const fullPage: Defect = (pets) => {
  const list = pets.list.bind(pets);
  return {
    async list(query) {
      const { json } = await list(query);
      const found = JSON.parse(json) as { id: number }[];
      return found.length === query.limit ? { json, next: BigInt(found.at(-1)!.id) } : { json };
    },
  };
};

/** All stores of a namespace are one. */
function fixtureFor(defect: Defect, sharing: StoreFixture["sharing"] = "machine"): StoreFixture {
  const stores = new Map<string, PetStore>();
  return {
    open(namespace) {
      const pets = createMemoryStore();
      const store = stores.get(namespace) ?? Object.assign(pets, defect(pets));
      stores.set(namespace, store);
      return store;
    },
    sharing,
  };
}

const WRONG: [what: string, guarantee: string, fixture: StoreFixture][] = [
  ["compares the keys of requests alone", "idempotency", fixtureFor(keyAlone)],
  // The store measures with the clock of this process. So it may be shared on one machine only.
  ["measures the expiry of requests with the clock of each server", "idempotency", fixtureFor(() => ({}), "machines")],
  ["gives a next id after each full page", "paging", fixtureFor(fullPage)],
];

for (const [what, guarantee, fixture] of WRONG) {
  test(`the contract refutes a store that ${what}, by its cases of the guarantee: ${guarantee}`, async () => {
    const cases = (await storeCases(fixture)).filter((each) => each.guarantee === guarantee && !each.skip);
    await assert.rejects(async () => {
      for (const { run } of cases) await run();
    }, assert.AssertionError);
  });
}

test("each case removes its namespace, also if it fails", async () => {
  const removed = new Set<string>();
  const fixture = { ...fixtureFor(fullPage), remove: (namespace: string) => void removed.add(namespace) };
  const cases = await storeCases(fixture);
  await assert.rejects(cases.find(({ name }) => name.startsWith("pages through"))!.run(), assert.AssertionError);
  // It was opened once more, to see which members the store has.
  assert.equal(removed.size, 2);
});
