/** The cases of a store that closes or crashes, and is opened again. */

import assert from "node:assert/strict";
import { formatPet, type Pet, type PetStore } from "@petstore/petstore/store";
import {
  addAll,
  assertKept,
  type CaseContext,
  cases,
  createOnce,
  draft,
  ODD_PETS,
  pause,
  request,
  type StoreCase,
  walk,
} from "./case.ts";
import { keyOf } from "./keys.ts";

/** How many creates run at once before a crash, and how many follow each other. */
const AT_ONCE = 10;
const IN_A_ROW = 3;

/**
 * Crashes the store five times, when some of the creates in flight have been acknowledged, and
 * opens it again.
 *
 * @returns For each crash, the pets that were acknowledged before it, and the names of all for
 * which there was a create.
 */
async function* crashes(
  first: PetStore,
  context: CaseContext,
  create: (store: PetStore, name: string) => Promise<bigint>,
) {
  let store = first;
  for (let round = 0; round < 5; round++) {
    const acknowledged: Pet[] = [];
    const names: string[] = [];
    const enough = Promise.withResolvers<void>();
    const createInARow = async (row: number) => {
      for (let i = 0; i < IN_A_ROW; i++) {
        const name = `pet ${round}.${row}.${i}`;
        names.push(name);
        acknowledged.push({ id: await create(store, name), ...draft({ name }) });
        if (acknowledged.length > 5 * round) enough.resolve();
      }
    };
    // A create that the crash interrupts may fail, and its pet may be stored or not. Or it may never settle.
    const creating = Promise.allSettled(Array.from({ length: AT_ONCE }, (_, row) => createInARow(row)));
    await Promise.race([enough.promise, creating]);
    const beforeCrash = [...acknowledged];
    await context.crash();
    await Promise.race([creating, pause(1000)]);
    store = await context.open();
    yield { acknowledged: beforeCrash, names, store };
  }
}

/** The cases of stores whose pets survive a restart. */
export const RESTART_CASES: readonly StoreCase[] = [
  ...cases("durability", {
    async "shows the same pets when it is opened again, also those whose create began before it was closed, and gives greater ids"(
      store,
      context,
    ) {
      const pets = await addAll(store, ODD_PETS);
      let last = store;
      for (let restart = 0; restart < 3; restart++) {
        const creating = addAll(last, Array.from({ length: 20 }, (_, i) => draft({ name: `pet ${restart}.${i}` })));
        await last.close();
        pets.push(...await creating);
        last = await context.open();
        await assertKept(last, pets);
      }
    },
  }, ["restarts"]),
  ...cases("idempotency", {
    async "remembers a request when it is opened again"(store, context) {
      assert.deepEqual(await createOnce(store, draft(), request("a")), { outcome: "created", id: 1n });
      await store.close();
      const again = await context.open();
      assert.deepEqual(await createOnce(again, draft(), request("a")), { outcome: "replayed", id: 1n });
      assert.deepEqual(await createOnce(again, draft(), request("a", "other")), { outcome: "conflict" });
      await assertKept(again, [{ id: 1n, ...draft() }]);
    },
  }, ["restarts", "createOnce"]),
  ...cases("keys", {
    async "keeps its keys when it is opened again"(store, context) {
      const key = keyOf("a", { readOnly: true, expires: new Date(4_000_000_000_000) });
      await store.keys?.add(key);
      await store.keys?.revoke(key.id, key.created);
      await store.close();
      assert.deepEqual(await (await context.open()).keys?.list(), [{ ...key, revoked: key.created }]);
    },
  }, ["restarts", "keys"]),
  ...cases("durability", {
    async "keeps every acknowledged pet complete through crashes, and gives no id twice"(store, context) {
      const kept: string[] = [];
      const create = async (last: PetStore, name: string) => await last.create(draft({ name }));
      for await (const { acknowledged, store: last } of crashes(store, context, create)) {
        kept.push(...[...acknowledged, ...await addAll(last, [draft()])].map(formatPet));
        const all = await walk(last, { limit: 100 });
        assert.equal(all.at(-1), kept.at(-1), "The id of a pet after a crash is not greater than those before");
        for (const pet of kept) assert(all.includes(pet), `An acknowledged pet is gone or changed: ${pet}`);
      }
    },
  }, ["crash"]),
  ...cases("idempotency", {
    async "creates one pet for a request that a crash interrupted and that is repeated"(store, context) {
      let count = 0;
      const create = async (last: PetStore, name: string) =>
        (await createOnce(last, draft({ name }), request(name.slice(4), name))).id!;
      for await (const { acknowledged, names, store: last } of crashes(store, context, create)) {
        const ids = new Map<string, bigint>();
        for (const name of names) ids.set(name, await create(last, name));
        for (const { id, name } of acknowledged) assert.equal(ids.get(name), id, `${name} was created again`);
        const all = await walk(last, { limit: 100 });
        assert.equal(all.length, count += names.length, "A request has made no pet, or two");
      }
    },
  }, ["crash", "createOnce"]),
];
