/** Several servers that share the same pets. */

import assert from "node:assert/strict";
import type { Pet, PetStore } from "../../../mod.ts";
import { withClock } from "../clock.ts";
import { assertCounted, assertReadersSeeAll } from "./concurrency.ts";
import { assertKept, cases, draft, ODD_PETS, request, splitPets, type StoreCase } from "./case.ts";

/** In milliseconds. */
const HOUR = 3_600_000;

/** For stores whose pets several servers share. */
export const SERVERS_CASES: readonly StoreCase[] = [
  ...cases("order", {
    async "shows every pet of two servers to readers at both that continue after the last id they saw"(store, context) {
      await assertReadersSeeAll([store, await context.open()]);
    },
    async "gives different ids at servers that open it at the same moment"(_store, context) {
      const servers = await Promise.all([context.open(), context.open(), context.open()]);
      const ids = await Promise.all(servers.map(async (server) => await server.create(draft())));
      assert.equal(new Set(ids).size, 3, `The ids ${ids} are not different`);
    },
  }, ["servers"]),
  ...cases("concurrency", {
    async "shows a pet that one server has acknowledged in the next responses of another, which did not know it"(
      store,
      context,
    ) {
      const servers = [store, await context.open()];
      const pets: Pet[] = [];
      for (const pet of ODD_PETS) {
        const [from, to] = servers.reverse() as [PetStore, PetStore];
        await assertKept(to, pets);
        assert.equal(await to.get((pets.at(-1)?.id ?? 0n) + 1n), undefined);
        pets.push({ id: await from.create(pet), ...pet });
        for (const server of servers) await assertKept(server, pets);
      }
    },
  }, ["servers"]),
  ...cases("concurrency", {
    async "returns different counters from changes() after another server has created a pet"(store, context) {
      const other = await context.open();
      for (let i = 0; i < 10; i++) {
        await assertCounted(store, other);
        await assertCounted(other, store);
      }
    },
  }, ["servers", "changes"]),
  ...cases("idempotency", {
    async "creates one pet for a request that is sent to two servers"(store, context) {
      const servers = [store, await context.open()];
      for (let i = 0; i < 10; i++) {
        const sent = servers.flatMap((server) => [server, server, server]);
        const outcomes = await Promise.all(
          sent.map(async (server) => await server.createOnce?.(draft(), request(`r${i}`))),
        );
        const made = outcomes.filter((each) => each?.outcome === "created");
        assert.equal(made.length, 1, `${made.length} servers created a pet`);
        const ids = new Set(outcomes.map((each) => each && "id" in each ? each.id : undefined));
        assert.equal(ids.size, 1, `One request has the ids ${[...ids]}`);
      }
      assert.equal(splitPets((await store.list({ after: 0n, limit: 100 })).json).length, 10);
    },
  }, ["servers", "createOnce"]),
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
