/** The cases that are published, and no other test: on the memory store, in process. */

import test from "node:test";
import { httpCases, storeCases, type StoreFixture } from "../../lib/testing/testing.ts";
import { createMemoryStore } from "../../mod.ts";

const MEMORY: StoreFixture = { open: () => createMemoryStore(), sharing: "none", unsupported: ["checkWrites"] };

for (const { name, skip, run } of httpCases(MEMORY)) test(`the petstore ${name}`, { skip }, run);
for (const { name, skip, run } of storeCases(MEMORY)) test(`the store ${name}`, { skip }, run);
