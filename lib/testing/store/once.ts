import assert from "node:assert/strict";
import {
  formatPet,
  type IdempotentOutcome,
  type IdempotentRequest,
  type Pet,
  type PetDraft,
  type PetStore,
} from "../../../mod.ts";
import { assertKept, cases, draft, ODD_PETS, pause, request, splitPets, type StoreCase } from "./case.ts";

async function createOnce(store: PetStore, pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
  return await store.createOnce!(pet, request);
}

async function countPets(store: PetStore): Promise<number> {
  return splitPets((await store.list({ after: 0n, limit: 100 })).json).length;
}

export const ONCE_CASES: StoreCase[] = cases("idempotency", {
  async "creates a pet once, however often the same request is sent"(store) {
    assert.equal(await store.create(draft()), 1n);
    assert.deepEqual(await createOnce(store, draft({ name: "Bo" }), request("a")), { outcome: "created", id: 2n });
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await createOnce(store, draft({ name: "Bo" }), request("a")), { outcome: "replayed", id: 2n });
    }
    assert.equal(await store.get(2n), formatPet({ id: 2n, ...draft({ name: "Bo" }) }));
    assert.equal(await store.create(draft()), 3n);
    assert.equal(await countPets(store), 3);
  },
  async "reports a key that is used for another pet, and keeps the first pet"(store) {
    await createOnce(store, draft(), request("a", "one"));
    assert.deepEqual(await createOnce(store, draft({ name: "Bo" }), request("a", "two")), { outcome: "reused" });
    assert.deepEqual(await createOnce(store, draft(), request("a", "one")), { outcome: "replayed", id: 1n });
    assert.deepEqual(await createOnce(store, draft(), request("b", "two")), { outcome: "created", id: 2n });
    assert.equal(await countPets(store), 2);
  },
  async "creates one pet for concurrent requests with one key"(store) {
    const sent = Array.from({ length: 40 }, (_, i) => createOnce(store, draft(), request(i % 2 === 0 ? "a" : "b")));
    const outcomes = await Promise.all([...sent, ...Array.from({ length: 40 }, () => store.create(draft()))]);
    const once = outcomes.slice(0, 40) as Exclude<IdempotentOutcome, { outcome: "reused" }>[];
    assert.deepEqual(once.map(({ outcome }) => outcome).toSorted(), [
      ...Array<string>(2).fill("created"),
      ...Array<string>(38).fill("replayed"),
    ]);
    assert.equal(new Set(once.map(({ id }) => id)).size, 2);
    assert.equal(await countPets(store), 42);
  },
  async "keeps the pet of a request exactly"(store) {
    const pets: Pet[] = [];
    for (const [i, pet] of ODD_PETS.entries()) {
      const { id } = await createOnce(store, pet, request(`k${i}`)) as { id: bigint };
      pets.push({ id, ...pet });
    }
    await assertKept(store, pets);
  },
  async "creates one pet for concurrent requests that use one key for two pets"(store) {
    for (let i = 0; i < 10; i++) {
      const sent = ["x", "y", "x", "y"].map((name) => createOnce(store, draft({ name }), request(`k${i}`, name)));
      const outcomes = (await Promise.all(sent)).map(({ outcome }) => outcome);
      assert.deepEqual(outcomes.sort(), ["created", "replayed", "reused", "reused"]);
    }
  },
  async "remembers a request for its retention time, and not much longer"(store) {
    const { id } = await createOnce(store, draft(), request("long")) as { id: bigint };
    await createOnce(store, draft(), request("short", "same", 20));
    for (let tries = 0;; tries++) {
      await pause(25);
      const { outcome } = await createOnce(store, draft(), request("short"));
      if (outcome === "created") break;
      assert(tries < 40, "A request is still remembered after a second instead of 20 milliseconds");
    }
    assert.deepEqual(await createOnce(store, draft(), request("long")), { outcome: "replayed", id });
  },
  async "accepts the key of an expired request for a new one"(store) {
    for (let id = 1n; id < 5n; id++) {
      assert.deepEqual(await createOnce(store, draft(), request("a", "x", 0)), { outcome: "created", id });
    }
    assert.deepEqual(await createOnce(store, draft(), request("a", "other")), { outcome: "created", id: 5n });
    assert.deepEqual(await createOnce(store, draft(), request("a", "other")), { outcome: "replayed", id: 5n });
  },
  async "does not remember a create that it refuses"(store) {
    const bad = { ...draft(), status: "lost" } as unknown as PetDraft;
    await assert.rejects(() => createOnce(store, bad, request("a")), "The status lost was accepted");
    assert.equal((await createOnce(store, draft(), request("a"))).outcome, "created");
  },
}, ["createOnce"]);
