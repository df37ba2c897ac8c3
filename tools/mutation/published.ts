/** The cases of both contracts, and the common ones of a key manager: on the memory store, in process. */

import "../../tests/unit/key_manager_test.ts";
import "../../tests/unit/key_reads_test.ts";
import "../../tests/unit/wrong_keys_test.ts";
import test from "node:test";
import { withApi } from "../../lib/testing/http/api.ts";
import { storeCases, type StoreFixture } from "../../lib/testing/testing.ts";
import { createMemoryStore } from "../../mod.ts";
import { HTTP_CONTRACT } from "../../tests/support/contract/all.ts";

const MEMORY: StoreFixture = { open: () => createMemoryStore(), sharing: "none" };

for (const { name, options, run } of HTTP_CONTRACT) {
  test(`the petstore ${name}`, () => withApi({ store: createMemoryStore(), ...options }, run));
}
for (const { name, skip, run } of await storeCases(MEMORY)) test(`the store ${name}`, { skip }, run);
