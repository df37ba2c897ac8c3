/** The cases of a store that closes or crashes, and is opened again. */

import assert from "node:assert/strict";
import { formatPet, type Pet, type PetStore } from "@petstore/petstore/store";
import {
  addAll,
  addMany,
  assertAscending,
  assertKept,
  type CaseContext,
  cases,
  draft,
  ODD_PETS,
  pause,
  request,
  type StoreCase,
  walk,
} from "./case.ts";
import { keyOf } from "./keys.ts";

/**
 * The number of creates before a crash, and how many run at once, because a store may answer all that wait for it
 * together.
 */
const CREATES = 30;
const AT_ONCE = 10;

/**
 * Crashes the store five times, when some of the creates in flight have been acknowledged, and opens it again.
 *
 * @returns For each crash, the pets that were acknowledged before it, and the names of all for which there was a create.
 */
async function* crashes(
  first: PetStore,
  context: CaseContext,
  create: (store: PetStore, name: string) => Promise<bigint>,
) {
  let store = first;
  for (let round = 0; round < 5; round++) {
    const acknowledged: Pet[] = [];
    const enough = Promise.withResolvers<void>();
    let settled = 0;
    let isOver = false;
    const names = Array.from({ length: CREATES }, (_, i) => `pet ${round}.${i}`);
    const waiting = names.values();
    const createNext = async () => {
      for (const name of waiting) {
        if (isOver) return;
        try {
          acknowledged.push({ id: await create(store, name), ...draft({ name }) });
        } catch {
          // A create that the crash interrupts may fail, and its pet may be stored or not.
        }
        if (++settled === 1 + 5 * round) enough.resolve();
      }
    };
    const creating = Promise.all(Array.from({ length: AT_ONCE }, createNext));
    await enough.promise;
    const beforeCrash = [...acknowledged];
    isOver = true;
    await context.crash();
    // A create may never settle when its server is gone.
    await Promise.race([creating, pause(1000)]);
    store = await context.open();
    yield { acknowledged: beforeCrash, names, store };
  }
}

async function readAll(store: PetStore): Promise<{ id: bigint; name: string; json: string }[]> {
  return (await walk(store, { limit: 100 })).map((json) => {
    const { id, name } = JSON.parse(json) as { id: number; name: string };
    return { id: BigInt(id), name, json };
  });
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
        const creating = addMany(last, Array.from({ length: 20 }, (_, i) => draft({ name: `pet ${restart}.${i}` })));
        await last.close();
        pets.push(...await creating);
        last = await context.open();
        await assertKept(last, pets);
        assertAscending(pets.map(({ id }) => id));
      }
    },
  }, ["restarts"]),
  ...cases("idempotency", {
    async "remembers a request when it is opened again"(store, context) {
      assert.deepEqual(await store.createOnce?.(draft(), request("a")), { outcome: "created", id: 1n });
      await store.close();
      const again = await context.open();
      assert.deepEqual(await again.createOnce?.(draft(), request("a")), { outcome: "replayed", id: 1n });
      assert.deepEqual(await again.createOnce?.(draft(), request("a", "other")), { outcome: "conflict" });
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
      const kept: Pet[] = [];
      const create = async (last: PetStore, name: string) => await last.create(draft({ name }));
      for await (const { acknowledged, names, store: last } of crashes(store, context, create)) {
        kept.push(...acknowledged);
        const all = await readAll(last);
        assertAscending(all.map(({ id }) => id));
        for (const pet of kept) {
          const text = all.find(({ id }) => id === pet.id)?.json;
          assert.equal(text, formatPet(pet), `An acknowledged pet is ${text ? "changed" : "gone"}: ${formatPet(pet)}`);
        }
        await assertKept(last, all.map(({ id, name }) => ({ id, ...draft({ name }) })));
        const [later] = await addAll(last, [draft({ name: `after ${names[0]}` })]);
        assert(later!.id > (all.at(-1)?.id ?? 0n), `The id ${later!.id} was given to an earlier pet`);
        kept.push(later!);
      }
    },
  }, ["crash", "restarts"]),
  ...cases("idempotency", {
    async "creates one pet for a request that a crash interrupted and that is repeated"(store, context) {
      const wrong: string[] = [];
      let count = 0;
      const createOnce = async (last: PetStore, name: string) =>
        await last.createOnce!(draft({ name }), request(name.slice(4), name));
      const create = async (last: PetStore, name: string) => {
        const outcome = await createOnce(last, name);
        if (outcome.outcome !== "created") wrong.push(`${name} is ${outcome.outcome}`);
        return (outcome as { id: bigint }).id;
      };
      for await (const { acknowledged, names, store: last } of crashes(store, context, create)) {
        assert.deepEqual(wrong, []);
        const before = new Map((await readAll(last)).map(({ id, name }) => [name, id]));
        for (const { id, name } of acknowledged) assert.equal(before.get(name), id, `${name} is gone`);
        for (const name of names) {
          const outcome = await createOnce(last, name);
          const id = before.get(name);
          if (id !== undefined) assert.deepEqual(outcome, { outcome: "replayed", id }, name);
          else assert.equal(outcome.outcome, "created", `${name} does not exist, and is remembered`);
        }
        assert.equal((await readAll(last)).length, count += CREATES);
      }
    },
  }, ["crash", "restarts", "createOnce"]),
];
