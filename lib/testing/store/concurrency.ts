import assert from "node:assert/strict";
import { formatPet, type PetStore } from "../../../mod.ts";
import {
  addMany,
  assertAscending,
  begin,
  cases,
  draft,
  idsOf,
  pause,
  readDuring,
  request,
  splitPets,
  type StoreCase,
  walk,
} from "./case.ts";

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
    async "shows each pet once, and all older pets, to a client that pages while pets are added"(
      store,
    ) {
      const existing = await addMany(store, Array.from({ length: 50 }, () => draft()));
      const seen: string[] = [];
      let after: bigint | undefined = 0n;
      while (after !== undefined && seen.length < 1000) {
        // They start together, so that an asynchronous store does both at once.
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
    async "shows every pet to readers of all pets and of one status that continue after the last id they saw"(store) {
      await assertReadersSeeAll([store]);
    },
  }),
  ...cases("paging", {
    async "gives no next id while all pets fit on the page, even if one is added meanwhile"(store) {
      for (let i = 0; i < 60; i++) {
        const [{ json, next }] = await Promise.all([store.list({ after: 0n, limit: 100 }), store.create(draft())]);
        assert.equal(next, undefined, `${splitPets(json).length} pets on a page of 100, and a next id`);
      }
    },
  }),
  ...cases("atomicity", {
    async "lists a pet, also by its status, as soon as get() returns it"(store) {
      for (let i = 0; i < 30; i++) {
        const last = (await store.list({ after: 0n, limit: 100 })).json;
        const id = (idsOf(last).at(-1) ?? 0n) + 1n;
        let isOver = false;
        const create = begin(() => store.create(draft()));
        const end = () => void (isOver = true);
        create.then(end, end);
        while (!isOver) {
          if (await store.get(id) !== undefined) await assertListed(store, id);
          await pause();
        }
        await create;
      }
    },
  }),
  ...cases("order", {
    async "keeps the order of ids among creates with and without a key"(store) {
      let count = 0;
      await assertReadersSeeAll([store], async () => {
        if (++count % 2 === 0) return await store.create(draft());
        return (await store.createOnce!(draft(), request(`k${count}`)) as { id: bigint }).id;
      });
    },
  }, ["createOnce"]),
  ...cases("concurrency", {
    async "returns different counters from changes() after a create has resolved"(store) {
      for (let i = 0; i < 20; i++) await assertCounted(store, store);
    },
  }, ["changes"]),
];

/** Creates pets in bursts on each server, as its clients do, with readers on each. */
export async function assertReadersSeeAll(
  servers: readonly PetStore[],
  create = async (server: PetStore) => await server.create(draft()),
): Promise<void> {
  const created: bigint[] = [];
  const add = async (server: PetStore) => {
    for (let burst = 0; burst < 25; burst++) {
      const count = 1 + Math.trunc(Math.random() * 6);
      created.push(...await Promise.all(Array.from({ length: count }, () => create(server))));
      if (burst % 4 === 0) await pause();
    }
  };
  const work = Promise.all(servers.map(add));
  const readers = servers.flatMap((server) => [readDuring(server, work), readDuring(server, work, "available")]);
  const all = await Promise.all(readers);
  created.sort((one, other) => one < other ? -1 : 1);
  for (const seen of all) assert.deepEqual(seen, created);
}

async function assertListed(store: PetStore, id: bigint): Promise<void> {
  for (const status of [undefined, "available"] as const) {
    const { json } = await store.list({ after: id - 1n, limit: 1, status });
    assert.equal(idsOf(json)[0], id, `get() shows the pet ${id}, and a list does not`);
  }
}

/** Asserts that a cached response of `reader` is stale once a new pet of `writer` is acknowledged. */
export async function assertCounted(writer: PetStore, reader: PetStore): Promise<void> {
  const create = begin(() => writer.create(draft()));
  const counted = { ...reader.changes?.() };
  const before = await reader.list({ after: 0n, limit: 100 });
  await create;
  // A store may check for changes once in a turn of the event loop, because the requests of that turn arrived earlier.
  await pause();
  const counters = { ...reader.changes?.() };
  const after = await reader.list({ after: 0n, limit: 100 });
  if (before.json !== after.json) {
    assert.notDeepEqual(counters, counted, "A cached list without the pet would still count as current");
  }
}
