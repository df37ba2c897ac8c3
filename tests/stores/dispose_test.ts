import assert from "node:assert/strict";
import { test } from "node:test";
import { createDurableObjectStore } from "../../lib/stores/d1/d1_store.ts";
import type { KeyedPetStore } from "../../mod.ts";
import { STORE_KINDS, withStore } from "../support/stores.ts";
import { openStorage } from "./d1/support.ts";

for (const kind of STORE_KINDS) {
  test(`await using closes a ${kind.name} store`, () => {
    return withStore(kind, (store) => assertDisposes(store as KeyedPetStore));
  });
}

test("await using closes a Durable Object's store", () => assertDisposes(createDurableObjectStore(openStorage())));

/** Calls the member, because Node 22 has the symbol, but not the syntax. */
async function assertDisposes(store: KeyedPetStore): Promise<void> {
  const close = store.close.bind(store);
  let closed = 0;
  store.close = async () => {
    await close();
    closed++;
  };
  await store[Symbol.asyncDispose]();
  assert.equal(closed, 1);
}
