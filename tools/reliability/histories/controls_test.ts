/** Histories on stores with a defect, each of which must be found, and on a sound one. They need no database. */

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { createMemoryStore } from "../../../mod.ts";
import { type PetStore, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { assertHistories, type Place } from "./run.ts";

const SEED = 20301205, METHODS = ["create", "createOnce", "get", "list"] as const;

type Defect = (store: PetStore) => Partial<PetStore>;

/** Two servers share a memory store, whose answers are a moment late. One in three calls of the first server is wrong. */
function onMemory(defect: Defect): Place<never> {
  return {
    renew: () => Promise.resolve(),
    async use({ pets }, run) {
      const store = createMemoryStore();
      for (const pet of pets) store.create(pet);
      let calls = 0;
      type Call = (...args: unknown[]) => unknown;
      const late = withCalls((name) => async (...args) => {
        await Promise.resolve();
        return (store[name] as Call)(...args);
      });
      const wrong = defect(late);
      const broken = withCalls((name) => (...args) =>
        ((calls++ % 3 === 2 && wrong[name] || late[name]) as Call)(...args)
      );
      function withCalls(of: (name: typeof METHODS[number]) => Call): PetStore {
        return { ...Object.fromEntries(METHODS.map((name) => [name, of(name)])), check() {}, close() {} } as PetStore;
      }
      await run([broken, late], () => calls = -Infinity);
      const { json } = await store.list({ after: 0n, limit: 100 });
      return { stored: json === "[]" ? [] : json.slice(1, -1).split(/,(?=\{"id":)/), faults: 0 };
    },
  };
}

const DEFECTS: [what: string, defect: Defect, told: RegExp][] = [
  [
    "acknowledges a pet that it does not store",
    () => ({ create: () => 99n }),
    /was acknowledged, and no pet is stored/,
  ],
  ["refuses a create that it carries out", (store) => ({
    async create(pet) {
      await store.create(pet);
      throw new StoreUnavailableError("The connection was lost", { mayBeStored: false });
    },
  }), /is stored, and each of its creates was refused/],
  ["forgets an Idempotency-Key", (store) => ({
    createOnce: async (pet) => ({ outcome: "created", id: await store.create(pet) }),
  }), /is stored twice/],
  [
    "does not find a pet that is there",
    () => ({ get: () => undefined }),
    /GET \d+ → 404 .* does not show what was visible/,
  ],
  ["has no next page", (store) => ({
    list: async (query) => ({ json: (await store.list(query)).json }),
  }), /GET after .* does not show what was visible/],
  ["leaves out the first pet of a page", (store) => ({
    list: ({ after, ...query }) => store.list({ ...query, after: after + 1n }),
  }), /GET after .* → 200 /],
  ["gives another pet", (store) => ({ get: (id) => store.get(id > 1n ? id - 1n : id) }), /GET \d+ → 200 /],
  ["damages a name", (store) => ({
    create: (pet) => store.create({ ...pet, name: `${pet.name}?` }),
  }), /was not sent/],
];

const search = (defect: Defect) =>
  assertHistories(onMemory(defect), fc.constant(undefined as never), { histories: 200, seed: SEED });

for (const [what, defect, told] of DEFECTS) {
  test(`histories find a store that ${what}`, () => assert.rejects(search(defect), told));
}

test("histories find nothing on a memory store", () => search(() => ({})).then(() => {}));
