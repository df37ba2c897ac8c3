import assert from "node:assert/strict";
import { formatPets, type PetStatus, StoreUnavailableError } from "../../../mod.ts";
import {
  addAll,
  assertAscending,
  assertKept,
  begin,
  cases,
  draft,
  INT64_MAX,
  INT64_MIN,
  ODD_PETS,
  pause,
  type StoreCase,
} from "./case.ts";

export const PET_CASES: StoreCase[] = [
  ...cases("order", {
    async "gives ascending ids, starting at 1"(store) {
      const ids: bigint[] = [];
      for (let i = 0; i < 5; i++) ids.push(await store.create(draft()));
      assert.equal(ids[0], 1n);
      assertAscending(ids);
    },
  }),
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
  ...cases("atomicity", {
    async "stores nothing of a pet that it refuses"(store) {
      const refused = draft({ status: "lost" as unknown as PetStatus });
      await assert.rejects(async () => await store.create(refused), "create() has accepted the status lost");
      assert.deepEqual(await store.list({ after: 0n, limit: 100 }), { json: "[]" });
      const id = await store.create(draft());
      assert.deepEqual(await store.list({ after: 0n, limit: 100 }), { json: formatPets([{ id, ...draft() }]) });
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
      const probes = begin(() => Promise.all(Array.from({ length: 10 }, probe)));
      for (let i = 0; i < 5; i++) {
        assert.deepEqual(await store.list({ after: INT64_MIN, limit: 100 }), { json: "[]" }, "A probe can be seen");
        await pause();
      }
      await probes;
      await Promise.all([store.create(draft()), probe(), store.create(draft()), probe()]);
      await probe();
      assert.equal(await store.create(draft()), 3n);
      assert.equal((await store.list({ after: 0n, limit: 100 })).json.match(/"id"/g)?.length, 3);
      await store.close();
      await assert.rejects(probe, StoreUnavailableError);
    },
  }, ["checkWrites"]),
];
