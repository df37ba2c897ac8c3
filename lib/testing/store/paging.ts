import assert from "node:assert/strict";
import { formatPet, formatPets, type PetQuery, type PetStatus } from "../../../mod.ts";
import { addAll, addMany, assertKept, cases, INT64_MAX, INT64_MIN, statuses, type StoreCase, walk } from "./case.ts";

export const PAGING_CASES: StoreCase[] = cases("paging", {
  async "pages through all pets and those of each status once each, whatever the limit, and lists none while empty"(
    store,
  ) {
    await assertKept(store, []);
    const names = ["available", "sold", "available"] as const;
    const pets = await addMany(store, statuses(...Array.from({ length: 303 }, (_, i) => names[i % 3]!)));
    for (const status of [undefined, "sold"] as const) {
      const wanted = pets.filter((pet) => status === undefined || pet.status === status).map(formatPet);
      for (const limit of [1, 7, 100]) assert.deepEqual(await walk(store, { limit, status }), wanted);
    }
  },
  async "gives the last id of a page as next only if more pets follow, even if the page is full"(store) {
    const [first, second, third] = await addAll(store, statuses("sold", "available", "sold"));
    assert(first && second && third);
    const list = async (query: Omit<PetQuery, "after">) => await store.list({ after: 0n, ...query });
    assert.deepEqual(await list({ limit: 3 }), { json: formatPets([first, second, third]) });
    assert.deepEqual(await list({ limit: 2 }), { json: formatPets([first, second]), next: second.id });
    assert.deepEqual(await list({ limit: 2, status: "sold" }), { json: formatPets([first, third]) });
    assert.deepEqual(await list({ limit: 1, status: "sold" }), { json: formatPets([first]), next: first.id });
    assert.deepEqual(await list({ limit: 1, status: "available" }), { json: formatPets([second]) });
  },
  async "lists the pets after any int64"(store) {
    const pets = await addAll(store, statuses("sold", "sold", "sold"));
    const last = pets.at(-1)?.id ?? 0n;
    for (const status of [undefined, "sold"] as const) {
      for (const after of [last, last + 1n, 2n ** 53n, INT64_MAX, 0n, -1n, INT64_MIN]) {
        const json = formatPets(after < last ? pets : []);
        assert.deepEqual(await store.list({ after, limit: 3, status }), { json }, `after ${after}`);
      }
    }
  },
  async "finds the pets of a rare status among many others"(store) {
    const many: PetStatus[] = Array.from({ length: 250 }, () => "available");
    const pets = await addMany(store, statuses(...many, "pending", ...many, "pending"));
    const rare = pets.filter((pet) => pet.status === "pending");
    assert.deepEqual(await store.list({ after: 0n, limit: 2, status: "pending" }), { json: formatPets(rare) });
    assert.deepEqual(await walk(store, { limit: 1, status: "pending" }), rare.map(formatPet));
  },
});
