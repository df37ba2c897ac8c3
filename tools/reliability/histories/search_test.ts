/** Histories on stores with a defect, each of which must be found, and on one without. */

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { createMemoryStore } from "../../../mod.ts";
import { type PetStore, StoreUnavailableError } from "../../../lib/stores/store.ts";
import type { Ground } from "./ground.ts";
import { blocksFrom, search } from "./search.ts";

const SEED = 20301205;

type Defect = (store: PetStore) => Partial<PetStore>;

/** Two servers share a memory store, and all answers are a moment late. One in three calls is wrong. */
function onMemory(defect: Defect): Ground<never> {
  return {
    name: "memory",
    open: (use) =>
      use({
        renew: () => Promise.resolve(),
        async use({ pets }, run) {
          const store = createMemoryStore();
          for (const pet of pets) store.create(pet);
          const late: PetStore = {
            create: async (pet) => (await Promise.resolve(), store.create(pet)),
            createOnce: async (pet, request) => (await Promise.resolve(), store.createOnce!(pet, request)),
            get: async (id) => (await Promise.resolve(), store.get(id)),
            list: async (query) => (await Promise.resolve(), store.list(query)),
            check: () => {},
            close: () => {},
          };
          let calls = 0;
          const wrong = defect(late);
          const sometimes = (name: "create" | "createOnce" | "get" | "list") => (...args: never[]) =>
            ((calls++ % 3 === 2 && wrong[name] || late[name]) as (...args: never[]) => never)(...args);
          const broken = Object.fromEntries(
            (["create", "createOnce", "get", "list"] as const).map((name) => [name, sometimes(name)]),
          );
          await run([{ ...late, ...broken }, late], () => calls = -Infinity);
          const { json } = await store.list({ after: 0n, limit: 100 });
          return { stored: json === "[]" ? [] : json.slice(1, -1).split(/,(?=\{"id":)/), faults: 0 };
        },
      }),
  };
}

const refused = (mayBeStored: boolean) => new StoreUnavailableError("The connection was lost", { mayBeStored });

const DEFECTS: [what: string, defect: Defect, told: RegExp][] = [
  [
    "acknowledges a pet that it does not store",
    () => ({ create: () => 99n }),
    /was acknowledged, and no pet is stored/,
  ],
  ["refuses a create that it carries out", (store) => ({
    async create(pet) {
      await store.create(pet);
      throw refused(false);
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
  [
    "lists what was there before",
    () => ({ list: () => ({ json: "[]" }) }),
    /GET after .* does not show what was visible/,
  ],
  ["leaves out the first pet of a page", (store) => ({
    list: ({ after, ...query }) => store.list({ ...query, after: after + 1n }),
  }), /GET after .* → 200 /],
  ["has no next page", (store) => ({
    list: async (query) => ({ json: (await store.list(query)).json }),
  }), /GET after .* does not show what was visible/],
  ["ignores the filter", (store) => ({ list: ({ status: _, ...query }) => store.list(query) }), /GET after .* → 200 /],
  ["gives another pet", (store) => ({ get: (id) => store.get(id > 1n ? id - 1n : id) }), /GET \d+ → 200 /],
  ["damages a name", (store) => ({
    create: (pet) => store.create({ ...pet, name: `${pet.name}?` }),
  }), /was not sent/],
];

const NO_FAULT = fc.constant(undefined as never);

for (const [what, defect, told] of DEFECTS) {
  test(`histories find a store that ${what}`, async () => {
    const finding = await search(onMemory(defect), { fault: NO_FAULT, blocks: blocksFrom(SEED, 200) });
    assert.match(finding?.problem ?? "nothing was found", told);
    assert.match(finding!.text, /Repeat it with --way "memory" --seed \d+ --histories 1;/);
  });
}

test("histories find nothing on a memory store", async () => {
  const sound = await search(onMemory(() => ({})), { fault: NO_FAULT, blocks: blocksFrom(SEED, 200) });
  assert.ok(!sound, sound?.text);
});
