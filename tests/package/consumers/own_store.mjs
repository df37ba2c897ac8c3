/** A store of a new app, and how it is proved. With WRONG_STORE, it keeps an int64 as a number of JavaScript. */

import { createMemoryStore } from "@petstore/petstore";
import { httpCases, storeCases } from "@petstore/petstore/testing";
import process from "node:process";

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

/** @type {import("@petstore/petstore/testing").StoreFixture} */
const subject = {
  open: () => createOwnStore(),
  sharing: "none",
  lacks: process.env.WRONG_STORE === undefined ? ["checkWrites"] : ["createOnce", "changes", "checkWrites", "keys"],
};

/** @param test How a runner registers a test. */
export function registerAll(test) {
  for (const { name, promise, skip, run } of storeCases(subject)) test(`my store ${name} (${promise})`, skip, run);
  for (const { name, skip, run } of httpCases(subject)) test(`a petstore on my store ${name}`, skip, run);
}
