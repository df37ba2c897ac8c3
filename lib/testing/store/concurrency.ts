import assert from "node:assert/strict";
import { formatPet } from "../../../mod.ts";
import { addAll, assertAscending, cases, draft, Reader, splitPets, type StoreCase, walk } from "./case.ts";

export const CONCURRENCY_CASES: StoreCase[] = [
  ...cases("concurrency", {
    async "gives concurrent creates different ids, and shows each pet as soon as its create has resolved"(store) {
      const drafts = Array.from({ length: 200 }, (_, i) => draft({ name: `pet ${i}`, categoryId: BigInt(i) }));
      const pets = await Promise.all(drafts.map(async (draft) => {
        const pet = { id: await store.create(draft), ...draft };
        assert.equal(await store.get(pet.id), formatPet(pet));
        assert.match((await store.list({ after: pet.id - 1n, limit: 1 })).json, new RegExp(`^\\[{"id":${pet.id},`));
        return pet;
      }));
      pets.sort((a, b) => a.id < b.id ? -1 : 1);
      assertAscending(pets.map(({ id }) => id));
      assert.deepEqual(await walk(store, { limit: 100 }), pets.map(formatPet));
    },
  }),
  ...cases("order", {
    async "shows a walk each pet once, and all that existed when it started, while pets are added"(store) {
      const existing = await addAll(store, Array.from({ length: 50 }, () => draft()));
      const seen: string[] = [];
      let after: bigint | undefined = 0n;
      while (after !== undefined && seen.length < 1000) {
        // Started together, so that an asynchronous store does both at once.
        const [page]: [{ json: string; next?: bigint }, bigint] = await Promise.all([
          store.list({ after, limit: 3 }),
          store.create(draft({ name: "late" })),
        ]);
        seen.push(...splitPets(page.json));
        after = page.next;
      }
      assert.equal(new Set(seen).size, seen.length);
      assert.deepEqual(seen.slice(0, existing.length), existing.map(formatPet));
    },
    async "shows every pet to a reader that continues after the last id it saw, while pets are added"(store) {
      const reader = new Reader(store);
      const created: bigint[] = [];
      const add = async () => {
        for (let i = 0; i < 30; i++) created.push(await store.create(draft()));
      };
      await reader.readDuring(Promise.all([add(), add(), add(), add()]));
      assert.deepEqual(reader.ids, created.sort((one, other) => one < other ? -1 : 1));
    },
  }),
];
