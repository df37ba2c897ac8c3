import assert from "node:assert/strict";
import { formatPet, type PetStore } from "../../../mod.ts";
import {
  assertAscending,
  begin,
  cases,
  draft,
  idsOf,
  pause,
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
    async "shows every pet once to readers of all pets and of one status that continue after the last id they saw"(
      store,
    ) {
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
      for (let id = 1n; id <= 30n; id++) {
        let isOver = false;
        const create = begin(() => store.create(draft()));
        const end = () => void (isOver = true);
        create.then(end, end);
        while (!isOver) {
          if (await store.get(id) !== undefined) await assertListed(store, id);
          await pause();
        }
        assert.equal(await create, id);
      }
    },
  }),
  ...cases("concurrency", {
    async "returns different counters from changes() after a create has resolved"(store) {
      for (let i = 0; i < 20; i++) await assertCounted(store, store);
    },
  }, ["changes"]),
];

/** Creates pets in bursts on each server, as its clients do, some with a key, and with readers on each. */
export async function assertReadersSeeAll(servers: readonly PetStore[]): Promise<void> {
  const created: bigint[] = [];
  const create = async (server: PetStore, isRequest: boolean) => {
    if (!isRequest || !server.createOnce) return await server.create(draft());
    return (await server.createOnce(draft(), request(crypto.randomUUID().slice(-12))) as { id: bigint }).id;
  };
  const add = async (server: PetStore) => {
    for (let burst = 0; burst < 25; burst++) {
      const count = 1 + Math.trunc(Math.random() * 6);
      created.push(...await Promise.all(Array.from({ length: count }, (_, i) => create(server, i % 2 === 1))));
      if (burst % 4 === 0) await pause();
    }
  };
  const work = Promise.all(servers.map(add));
  const readers = servers.flatMap((server) => [readDuring(server, work), readDuring(server, work, "available")]);
  const all = await Promise.all(readers);
  created.sort((one, other) => one < other ? -1 : 1);
  for (const seen of all) assert.deepEqual(seen, created);
}

/**
 * Lists repeatedly, each time after the last id that was seen, until `work` has ended, and then to the end. Rejects if `work` does.
 *
 * @returns The ids that were seen.
 */
async function readDuring(store: PetStore, work: Promise<unknown>, status?: "available"): Promise<bigint[]> {
  const seen: bigint[] = [];
  let isOver = false;
  const end = () => void (isOver = true);
  work.then(end, end);
  for (let isEnd = false; !isEnd;) {
    const isLast = isOver;
    const last = seen.at(-1) ?? 0n;
    const { json, next } = await store.list({ after: last, limit: 7, status });
    const ids = idsOf(json);
    assert((ids[0] ?? last + 1n) > last, `A list of the pets after ${last} has the pet ${ids[0]}`);
    for (const id of ids.slice(-1)) assert(await store.get(id), `A list has the pet ${id}, and get() does not`);
    if (next !== undefined) assert.equal(next, ids.at(-1));
    seen.push(...ids);
    isEnd = isLast && ids.length === 0;
    // Without a pause, a synchronous store would block `work`.
    await pause();
  }
  await work;
  return seen;
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
