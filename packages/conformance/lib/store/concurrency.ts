/** The cases of concurrent calls, of one server and of several that share the same pets. */

import assert from "node:assert/strict";
import { formatPet, type Pet, type PetStore } from "@petstore/petstore/store";
import { withClock } from "../clock.ts";
import {
  assertAscending,
  assertKept,
  begin,
  cases,
  draft,
  idsOf,
  ODD_PETS,
  pause,
  request,
  type StoreCase,
  walk,
} from "./case.ts";

/** The length of an hour, in milliseconds. */
const HOUR = 3_600_000;

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
      context,
    ) {
      await assertReadersSeeAll([store, await context.second(store)]);
    },
  }),
  ...cases("concurrency", {
    async "returns different counters from changes() after a create has resolved, at another server too"(
      store,
      context,
    ) {
      const other = await context.second(store);
      for (let i = 0; i < 10; i++) {
        await assertCounted(store, other);
        await assertCounted(other, store);
      }
    },
  }, ["changes"]),
];

/** The cases of stores whose pets several servers share. */
export const SERVERS_CASES: readonly StoreCase[] = [
  ...cases("concurrency", {
    async "shows a pet that one server has acknowledged in the next responses of another, which did not know it"(
      store,
      context,
    ) {
      const servers = [store, await context.open()];
      const pets: Pet[] = [];
      for (const pet of ODD_PETS) {
        const [from, to] = servers.reverse() as [PetStore, PetStore];
        assert.equal(await to.get((pets.at(-1)?.id ?? 0n) + 1n), undefined);
        pets.push({ id: await from.create(pet), ...pet });
        for (const server of servers) await assertKept(server, pets);
      }
    },
  }, ["servers"]),
  ...cases("idempotency", {
    async "remembers a request although the clock of a server is an hour slow or fast"(store, context) {
      const servers = [store, await context.open()] as const;
      for (const [i, [first, second]] of [[HOUR, 0], [0, HOUR]].entries()) {
        const send = (server: PetStore, shift = 0) =>
          withClock(shift, async () => await server.createOnce?.(draft(), request(`r${i}`, "same", HOUR / 2)));
        const made = await send(servers[0], -(first ?? 0));
        assert.equal(made?.outcome, "created");
        assert.deepEqual(await send(servers[1], second), { ...made, outcome: "replayed" });
      }
    },
  }, ["servers", "machines", "createOnce"]),
];

/** Creates pets in bursts on each server, as its clients do, some with a key, and with readers on each. */
async function assertReadersSeeAll(servers: readonly PetStore[]): Promise<void> {
  const created: bigint[] = [];
  const create = async (server: PetStore, isRequest: boolean) => {
    if (!isRequest || !server.createOnce) return await server.create(draft());
    return (await server.createOnce(draft(), request(crypto.randomUUID().slice(-12))) as { id: bigint }).id;
  };
  const add = async (server: PetStore) => {
    for (let burst = 0; burst < 25; burst++) {
      created.push(...await Promise.all(Array.from({ length: 1 + burst % 6 }, (_, i) => create(server, i % 2 === 1))));
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
  for (;;) {
    const isLast = isOver;
    const ids = idsOf((await store.list({ after: seen.at(-1) ?? 0n, limit: 7, status })).json);
    seen.push(...ids);
    if (isLast && ids.length === 0) break;
    // Without a pause, a synchronous store would block `work`.
    await pause();
  }
  await work;
  return seen;
}

/**
 * Asserts that a cached response of `reader` is stale once a new pet of `writer` is acknowledged. If create() is synchronous, only the
 * response from before the call lacks the pet.
 */
async function assertCounted(writer: PetStore, reader: PetStore): Promise<void> {
  const read = async () => {
    const counters = { ...reader.changes?.() };
    return { counters, ...await reader.list({ after: 0n, limit: 100 }) };
  };
  const cached = [await read()];
  const create = begin(() => writer.create(draft()));
  cached.push(await read());
  await create;
  // A store may check for changes once in a turn of the event loop, because the requests of that turn arrived earlier.
  await pause();
  const { counters, json } = await read();
  for (const each of cached.filter((response) => response.json !== json)) {
    assert.notDeepEqual(counters, each.counters, "A cached list without the pet would still count as current");
  }
}
