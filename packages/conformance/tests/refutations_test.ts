/** The contract finds wrong stores. Each breaks one guarantee in a way that occurs in real stores. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore } from "@petstore/petstore";
import type { PetStore } from "@petstore/petstore/store";
import { storeCases, type StoreFixture, type StoreGuarantee } from "../mod.ts";

/**
 * Makes the members that a wrong store has in place of those of a store in memory.
 *
 * @param write Takes some milliseconds, as a write to a disk does, and fails if there is a crash
 * meanwhile.
 */
type Defect = (pets: PetStore, write: () => Promise<void>) => Partial<PetStore>;

const noDefect: Defect = () => ({});

/** Stores the pet, and then the record of the request. */
const recordLater: Defect = (pets, write) => {
  const requests = new Map<string, { fingerprint: string; id: bigint }>();
  return {
    async createOnce(pet, { key, fingerprint }) {
      const known = requests.get(key);
      if (known) {
        return known.fingerprint === fingerprint ? { outcome: "replayed", id: known.id } : { outcome: "conflict" };
      }
      const id = await pets.create(pet);
      await write();
      requests.set(key, { fingerprint, id });
      return { outcome: "created", id };
    },
  };
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

function fixtureFor(defect: Defect): StoreFixture {
  const stores = new Map<string, PetStore>();
  let crashes = 0;
  const write = async () => {
    const before = crashes;
    await new Promise((resolve) => setTimeout(resolve, 5 * Math.random()));
    if (crashes !== before) throw new Error("The power was lost");
  };
  return {
    // All stores of a namespace are one, which does not close.
    open(namespace) {
      const pets = createMemoryStore();
      const store = stores.get(namespace) ?? Object.assign(pets, { keys: undefined }, defect(pets, write));
      stores.set(namespace, store);
      return store;
    },
    crash: () => void crashes++,
    sharing: "machine",
  };
}

const WRONG: [what: string, guarantee: StoreGuarantee, fixture: StoreFixture][] = [
  ["stores the record of a request after its pet", "idempotency", fixtureFor(recordLater)],
  // The store measures with the clock of this process. So it may be shared on one machine only.
  ["measures the expiry of requests with the clock of each server", "idempotency", {
    ...fixtureFor(noDefect),
    sharing: "machines",
  }],
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
