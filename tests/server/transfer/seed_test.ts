/** `--seed`: sample pets in an empty store. */

import assert from "node:assert/strict";
import { samplePet, seed } from "../../../lib/server/transfer/seed.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { formatPetWithId, parseNewPet } from "../../../lib/pet.ts";
import { KEY } from "../../support/server/ledger.ts";
import { test, withServerHere } from "../../support/server/in_process.ts";
import { addPet, walk } from "../../support/server/server_process.ts";
import { FILE, readDrafts, STORE } from "../../support/server/pet_files.ts";

const DRAFTS = Array.from({ length: 150 }, (_, i) => samplePet(i));
const SHOWN = DRAFTS.map((draft, i) => ({ id: i + 1, ...draft, categoryId: Number(draft.categoryId) }));

test("sample pets are valid, and differ", () => {
  const pets = Array.from({ length: 10_000 }, (_, i) => samplePet(i));
  for (const pet of pets) assert.deepEqual(parseNewPet(formatPetWithId(1, pet), "sold"), pet);
  assert.ok(new Set(pets.map(({ name }) => name)).size > 1_500);
});

test.inFolder("--seed fills an empty store in memory and in a file, and does nothing to a store that has pets", async () => {
  const args = [`--key=${KEY}`, "--log=off", "--seed=150"];
  for (const store of ["--store=memory:", STORE]) {
    await withServerHere({ args: [...args, store] }, async (server) => {
      assert.equal(server.written.stderr, "petstore: 150 sample pets are added\n");
      assert.deepEqual(await walk(KEY, server), SHOWN);
      await addPet(server, KEY);
    });
  }
  await withServerHere({ args: [...args, STORE, "--seed=7"] }, async (server) => {
    assert.equal(server.written.stderr, "petstore: the store has pets, so no sample pets are added\n");
    assert.equal((await walk(KEY, server)).length, 151);
  });
});

const open = () => createSqliteStore(FILE, { writerThread: "never" });

test.inFolder("a seed that was killed is finished by the next start, and several starts at once add each sample once", async () => {
  await using first = open();
  await using second = open();
  await seed(first, 70);
  assert.equal(await seed(first, 150), "80 sample pets are added");
  await Promise.all([seed(first, 4_000), seed(second, 4_000), seed(first, 4_000)]);
  assert.deepEqual(readDrafts(), Array.from({ length: 4_000 }, (_, i) => samplePet(i)));
});

test.inFolder("a store that has another pet, or more than the samples, gets no sample pet", async () => {
  await using store = open();
  const none = "the store has pets, so no sample pets are added";
  await seed(store, 3);
  for (const count of [1, 2, 3]) assert.equal(await seed(store, count), none);
  await store.create({ name: "Rex", categoryId: 1n, status: "sold" });
  for (const count of [1, 4, 5, 100]) assert.equal(await seed(store, count), none);
});
