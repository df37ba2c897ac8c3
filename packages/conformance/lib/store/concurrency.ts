/** The cases of concurrent calls, of one server and of several that share the same pets. */

import assert from "node:assert/strict";
import { formatPet, type Pet, type PetStore } from "@petstore/petstore/store";
import {
  assertKept,
  cases,
  createOnce,
  draft,
  idsOf,
  ODD_PETS,
  pause,
  request,
  type StoreCase,
  withClock,
} from "./case.ts";

/** The length of an hour, in milliseconds. */
const HOUR = 3_600_000;

export const CONCURRENCY_CASES: StoreCase[] = [
  ...cases("order", {
    async "gives ids from 1 on, and shows every pet once to readers of all pets and of one status that continue after the last id they saw"(
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
  ...cases("concurrency", {
    async "shows a pet that was acknowledged in the next responses, also of another server, which did not know it"(
      store,
      context,
    ) {
      const servers = [store, await context.second(store)];
      const pets: Pet[] = [];
      for (const pet of ODD_PETS) {
        const [from, to] = servers.reverse() as [PetStore, PetStore];
        assert.equal(await to.get((pets.at(-1)?.id ?? 0n) + 1n), undefined);
        pets.push({ id: await from.create(pet), ...pet });
        for (const server of servers) await assertKept(server, pets);
      }
    },
  }),
  ...cases("idempotency", {
    async "remembers a request although the clock of a server is an hour slow or fast"(store, context) {
      const other = await context.open();
      for (const [first, second] of [[-HOUR, 0], [0, HOUR]] as const) {
        const sent = request(`r${second}`, "same", HOUR / 2);
        const made = await withClock(first, () => createOnce(store, draft(), sent));
        assert.equal(made.outcome, "created");
        const again = await withClock(second, () => createOnce(other, draft(), sent));
        assert.deepEqual(again, { ...made, outcome: "replayed" });
      }
    },
  }, ["machines", "createOnce"]),
];

/**
 * Creates pets in bursts on each server, as its clients do, some with a key. Meanwhile, readers on
 * each server list repeatedly, each time after the last id that they saw, and then to the end.
 */
async function assertReadersSeeAll(servers: readonly PetStore[]): Promise<void> {
  const created: bigint[] = [];
  let isOver = false;
  const create = async (server: PetStore, isRequest: boolean) => {
    const id = isRequest && server.createOnce
      ? (await createOnce(server, draft(), request(crypto.randomUUID().slice(-12)))).id!
      : await server.create(draft());
    const shown = formatPet({ id, ...draft() });
    assert.equal(await server.get(id), shown, "A pet is not shown as soon as its create has resolved");
    assert.equal((await server.list({ after: id - 1n, limit: 1 })).json, `[${shown}]`);
    return id;
  };
  const add = async (server: PetStore) => {
    for (let burst = 0; burst < 25; burst++) {
      created.push(...await Promise.all(Array.from({ length: 1 + burst % 6 }, (_, i) => create(server, i % 2 === 1))));
      if (burst % 4 === 0) await pause();
    }
  };
  const read = async (server: PetStore, status?: "available") => {
    const seen: bigint[] = [];
    for (;;) {
      const isLast = isOver;
      const ids = idsOf((await server.list({ after: seen.at(-1) ?? 0n, limit: 7, status })).json);
      seen.push(...ids);
      if (isLast && ids.length === 0) return seen;
      // Without a pause, a synchronous store would block the creates.
      await pause();
    }
  };
  const work = Promise.all(servers.map(add)).finally(() => isOver = true);
  const readers = servers.flatMap((server) => [read(server), read(server, "available")]);
  const [all] = await Promise.all([Promise.all(readers), work]);
  created.sort((one, other) => one < other ? -1 : 1);
  assert.equal(created[0], 1n);
  for (const seen of all) assert.deepEqual(seen, created);
}

/**
 * Asserts that a cached response of `reader` is stale once a new pet of `writer` is acknowledged.
 * If create() is synchronous, only the response from before the call lacks the pet.
 */
async function assertCounted(writer: PetStore, reader: PetStore): Promise<void> {
  const read = async () => {
    const counters = { ...reader.changes?.() };
    return { counters, ...await reader.list({ after: 0n, limit: 100 }) };
  };
  const before = await read();
  const [, during] = await Promise.all([writer.create(draft()), read()]);
  // A store may check for changes once in a turn of the event loop, because the requests of that turn arrived earlier.
  await pause();
  const { counters, json } = await read();
  for (const cached of [before, during]) {
    if (cached.json === json) continue;
    assert.notDeepEqual(counters, cached.counters, "A cached list without the pet would still count as current");
  }
}
