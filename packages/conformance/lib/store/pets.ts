import assert from "node:assert/strict";
import { StoreUnavailableError } from "@petstore/petstore/store";
import { addAll, assertKept, cases, draft, ODD_PETS, pause, REFUSED, type StoreCase } from "./case.ts";
import { INT64_MAX, INT64_MIN, STATUSES } from "../pet_values.ts";

export const PET_CASES: StoreCase[] = [
  ...cases("exactness", {
    async "returns every pet as it was given, filtered or not, as the exact text of formatPet() and formatPets()"(
      store,
    ) {
      await assertKept(store, await addAll(store, ODD_PETS));
    },
    async "returns undefined for an id that it has not given, whatever int64 it is"(store) {
      await store.create(draft());
      for (const id of [0n, -1n, 2n, 2n ** 32n + 1n, 2n ** 53n, 2n ** 53n + 1n, INT64_MAX, INT64_MIN]) {
        assert.equal(await store.get(id), undefined, `get(${id})`);
      }
    },
  }),
  ...cases("paging", {
    async "pages through all pets and those of each status once each, whatever the limit, and lists none while empty"(
      store,
    ) {
      await assertKept(store, []);
      // One status is rare, so that a page of it has pets from far apart.
      const all = Array.from(
        { length: 303 },
        (_, i) => draft({ status: i % 150 === 149 ? "pending" : STATUSES[i % 2 * 2]! }),
      );
      await assertKept(store, await addAll(store, all), [1, 7, 100]);
    },
  }),
  ...cases("atomicity", {
    async "stores nothing of a pet that it refuses"(store) {
      await assert.rejects(async () => await store.create(REFUSED), "create() has accepted the status lost");
      await assertKept(store, await addAll(store, [draft()]));
    },
  }),
  ...cases("service", {
    async "passes its own check, empty or not"(store) {
      assert.equal(await store.check(), undefined);
      await store.create(draft());
      assert.equal(await store.check(), undefined);
    },
    async "finishes the creates that started before it was closed, and may be closed twice"(store) {
      const creates = Array.from({ length: 20 }, async () => await store.create(draft()));
      const [ids] = await Promise.all([Promise.all(creates), store.close(), store.close()]);
      assert.equal(new Set(ids).size, 20);
      await store.close();
    },
  }),
  ...cases("service", {
    async "adds no pet and uses no id when it checks writes"(store) {
      const probe = async () => await store.checkWrites!();
      const look = async () => {
        for (let i = 0; i < 5; i++) {
          assert.deepEqual(await store.list({ after: INT64_MIN, limit: 100 }), { json: "[]" }, "A probe can be seen");
          await pause();
        }
      };
      await Promise.all([...Array.from({ length: 10 }, probe), look()]);
      const [one] = await Promise.all([store.create(draft()), probe()]);
      assert.deepEqual([one, await store.create(draft())], [1n, 2n]);
      await store.close();
      await assert.rejects(probe, StoreUnavailableError);
    },
  }, ["checkWrites"]),
];
