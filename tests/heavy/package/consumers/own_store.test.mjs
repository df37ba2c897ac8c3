/** The tests of the store of a new app. */

import { createMemoryStore } from "@petstore/petstore";
import { httpCases, storeCases } from "@petstore/conformance";
import { test } from "node:test";

/** @type {import("@petstore/conformance").StoreFixture} */
const fixture = {
  open: () => createMemoryStore(),
  sharing: "none",
};

for (const { name, guarantee, skip, run } of await storeCases(fixture)) {
  test(`my store ${name} (${guarantee})`, { skip }, run);
}
for (const { name, skip, run } of await httpCases(fixture)) test(`a petstore on my store ${name}`, { skip }, run);
