import assert from "node:assert/strict";
import { formatPet, formatPets, type PetQuery, type PetStatus } from "../../../mod.ts";
import { addAll, addMany, cases, draft, INT64_MAX, INT64_MIN, statuses, type StoreCase, walk } from "./case.ts";

export const PAGING_CASES: StoreCase[] = cases("paging", {
  async "lists no pets while it is empty"(store) {
    assert.deepEqual(await store.list({ after: 0n, limit: 1 }), { json: "[]" });
    assert.deepEqual(await store.list({ after: 0n, limit: 100, status: "sold" }), { json: "[]" });
  },
  async "pages through all pets once each, whatever the limit"(store) {
    const pets = await addMany(store, Array.from({ length: 205 }, (_, i) => draft({ name: `pet ${i}` })));
    for (const limit of [1, 7, 99, 100]) assert.deepEqual(await walk(store, { limit }), pets.map(formatPet));
  },
  async "pages through the pets of one status once each, whatever the limit"(store) {
    const names = ["available", "sold", "available"] as const;
    const pets = await addMany(store, statuses(...Array.from({ length: 303 }, (_, i) => names[i % 3] ?? "sold")));
    const sold = pets.filter((pet) => pet.status === "sold").map(formatPet);
    for (const limit of [1, 10, 100]) assert.deepEqual(await walk(store, { limit, status: "sold" }), sold);
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
      const filter = status === undefined ? {} : { status };
      for (const after of [last, last + 1n, 2n ** 53n, INT64_MAX]) {
        assert.deepEqual(await store.list({ after, limit: 2, ...filter }), { json: "[]" }, `after ${after}`);
      }
      for (const after of [0n, -1n, INT64_MIN]) {
        assert.deepEqual(
          await store.list({ after, limit: 3, ...filter }),
          { json: formatPets(pets) },
          `after ${after}`,
        );
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
