import assert from "node:assert/strict";
import type { Pet, PetStore } from "@petstore/petstore/store";
import {
  assertKept,
  cases,
  createOnce,
  draft,
  idsOf,
  ODD_PETS,
  pause,
  REFUSED,
  request,
  type StoreCase,
} from "./case.ts";

/** Sends requests at once to both servers: with two keys, each for two pets, among other creates. */
async function assertOnce(servers: readonly [PetStore, PetStore]): Promise<void> {
  const serverOf = (i: number) => servers[i % 2]!;
  for (let round = 0; round < 10; round++) {
    const others = [0, 1, 2, 3].map(async (i) => await serverOf(i).create(draft()));
    const sent = Array.from({ length: 16 }, async (_, i) => {
      const key = `r${round}.${i >> 3}`;
      const name = (i >> 1) % 2 === 0 ? "x" : "y";
      return { key, ...await createOnce(serverOf(i), draft({ name }), request(key, name)) };
    });
    const all = await Promise.all(sent);
    await Promise.all(others);
    for (const key of [`r${round}.0`, `r${round}.1`]) {
      const outcomes = all.filter((each) => each.key === key);
      const count = (outcome: string) => outcomes.filter((each) => each.outcome === outcome).length;
      assert.deepEqual([count("created"), count("replayed"), count("conflict")], [1, 3, 4]);
      assert.equal(new Set(outcomes.flatMap(({ id }) => id ?? [])).size, 1);
    }
  }
  assert.equal(idsOf((await servers[0].list({ after: 0n, limit: 100 })).json).length, 60);
}

export const ONCE_CASES: StoreCase[] = cases("idempotency", {
  async "creates a pet once, and exactly, however often the same request is sent, and reports a key that is used for another pet"(
    store,
  ) {
    const pets: Pet[] = [];
    for (const [i, pet] of ODD_PETS.entries()) {
      // Other pets come between.
      if (i % 4 === 0) pets.push({ id: await store.create(draft()), ...draft() });
      const send = (fingerprint: string) => createOnce(store, pet, request(`k${i}`, fingerprint));
      const id = BigInt(pets.length + 1);
      assert.deepEqual(await send("one"), { outcome: "created", id });
      assert.deepEqual(await send("two"), { outcome: "conflict" });
      assert.deepEqual(await send("one"), { outcome: "replayed", id });
      pets.push({ id, ...pet });
    }
    await assertKept(store, pets);
  },
  "creates one pet for concurrent requests with one key, even for two pets, at two servers, and among other creates":
    async (store, context) => await assertOnce([store, await context.second(store)]),
  async "remembers a request until its retention time is over"(store) {
    // The round is repeated with a longer time, if the store or the machine took too long.
    for (let retentionMs = 100;; retentionMs *= 2) {
      const send = () => createOnce(store, draft(), request(`${retentionMs}`, "one", retentionMs));
      const begun = performance.now();
      const { id } = await send();
      await pause(0.7 * retentionMs);
      const outcome = await send();
      if (outcome.outcome !== "created") return assert.deepEqual(outcome, { outcome: "replayed", id });
      const passed = performance.now() - begun;
      assert(passed >= retentionMs, `A request is forgotten after ${passed} milliseconds instead of ${retentionMs}`);
    }
  },
  async "does not remember a create that it refuses"(store) {
    await assert.rejects(() => createOnce(store, REFUSED, request("a")), "The status lost was accepted");
    assert.equal((await createOnce(store, draft(), request("a"))).outcome, "created");
  },
}, ["createOnce"]);
