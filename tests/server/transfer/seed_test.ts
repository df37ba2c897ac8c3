/** `--seed`: sample pets in an empty store. */

import assert from "node:assert/strict";
import { samplePet, seed } from "../../../lib/server/transfer/seed.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import type { PetPage, PetStore } from "../../../lib/stores/store.ts";
import { formatPetWithId, parseNewPet } from "../../../lib/pet.ts";
import { KEY } from "../../support/server/ledger.ts";
import { type AnyServer, test, withServerHere } from "../../support/server/in_process.ts";
import { addPet, type ServerParts, walk } from "../../support/server/server_process.ts";
import { FILE, STORE } from "../../support/server/pet_files.ts";

const DRAFTS = Array.from({ length: 150 }, (_, i) => samplePet(i));
const SHOWN = DRAFTS.map((draft, i) => ({ id: i + 1, ...draft, categoryId: Number(draft.categoryId) }));

function parts(...args: string[]): ServerParts {
  return { args: [`--key=${KEY}`, "--log=off", "--seed=150", ...args] };
}

test("sample pets are valid, of every status, and differ", () => {
  const pets = Array.from({ length: 10_000 }, (_, i) => samplePet(i));
  for (const pet of pets) {
    assert.deepEqual(parseNewPet(formatPetWithId(1, pet), "sold"), pet);
    assert.match(pet.name, /^\p{L}+ the [A-Z]/u);
  }
  for (const each of ["available", "pending", "sold"]) {
    assert.ok(pets.filter(({ status }) => status === each).length > 1_400);
  }
  assert.ok(new Set(pets.map(({ name }) => name)).size > 1_500);
});

async function assertSeeded(server: AnyServer, said: RegExp): Promise<void> {
  assert.match(server.written.stderr, said);
  assert.deepEqual(await walk(KEY, server), SHOWN);
}

test.inFolder("--seed fills an empty store in memory and in a file, and does nothing to a store that has pets", async () => {
  const added = /^petstore: 150 sample pets are added\n$/;
  await withServerHere(parts("--store=memory:"), (server) => assertSeeded(server, added));
  await withServerHere(parts(STORE), async (server) => {
    await assertSeeded(server, added);
    await addPet(server, KEY);
    assert.equal(await server.stop(), 0);
  });
  await withServerHere(parts(STORE, "--seed=7"), async (server) => {
    assert.match(server.written.stderr, /^petstore: the store has pets, so no sample pets are added\n$/);
    assert.equal((await walk(KEY, server)).length, 151);
  });
});

const open = () => createSqliteStore(FILE, { writerThread: "never" });

function namesAfter(store: PetStore, after: bigint): string[] {
  const { json } = store.list({ after, limit: 100 }) as PetPage;
  return JSON.parse(json).map(({ name }: { name: string }) => name);
}

test.inFolder("a seed that is finished after the requests of the first one are forgotten adds only what is missing", async () => {
  await using store = open();
  for (const pet of DRAFTS.slice(0, 2)) await store.create(pet);
  assert.equal(await seed(store, 5), "3 sample pets are added");
  assert.deepEqual(namesAfter(store, 0n), DRAFTS.slice(0, 5).map(({ name }) => name));
});

test.inFolder("a seed that was killed is finished by the next start, and several starts at once add each sample once", async () => {
  await using first = open();
  await using second = open();
  await seed(first, 70);
  assert.equal(await seed(first, 150), "80 sample pets are added");
  await Promise.all([seed(first, 4_000), seed(second, 4_000), seed(first, 4_000)]);
  assert.deepEqual(namesAfter(first, 3_990n), Array.from({ length: 10 }, (_, i) => samplePet(3_990 + i).name));
});

test.inFolder("a store that has another pet, or more than the samples, gets no sample pet", async () => {
  await using store = open();
  const none = "the store has pets, so no sample pets are added";
  await seed(store, 3);
  for (const count of [1, 2, 3]) assert.equal(await seed(store, count), none);
  await store.create({ name: "Rex", categoryId: 1n, status: "sold" });
  for (const count of [1, 4, 5, 100]) assert.equal(await seed(store, count), none);
});
