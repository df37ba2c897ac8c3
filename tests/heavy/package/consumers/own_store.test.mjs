/** The store of a new app, and its tests. With WRONG_STORE, it keeps an int64 as a JavaScript number. */

import { createMemoryStore } from "@petstore/petstore";
import { httpCases, storeCases } from "@petstore/conformance";
import process from "node:process";
import { test } from "node:test";

function createOwnStore() {
  const store = createMemoryStore();
  if (process.env.WRONG_STORE === undefined) return store;
  return {
    create: (pet) => store.create({ ...pet, categoryId: BigInt.asIntN(64, BigInt(Number(pet.categoryId))) }),
    get: (id) => store.get(id),
    list: (query) => store.list(query),
    check: () => store.check(),
    close: () => store.close(),
  };
}

/** @type {import("@petstore/conformance").StoreFixture} */
const fixture = {
  open: () => createOwnStore(),
  sharing: "none",
};

for (const { name, guarantee, skip, run } of await storeCases(fixture)) {
  test(`my store ${name} (${guarantee})`, { skip }, run);
}
for (const { name, skip, run } of await httpCases(fixture)) test(`a petstore on my store ${name}`, { skip }, run);
