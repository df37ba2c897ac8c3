/** `--seed`: sample pets in an empty store. */

import assert from "node:assert/strict";
import { samplePet, seed } from "../../../lib/server/serving/seed.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { formatPetWithId, parseNewPet } from "../../../lib/pet.ts";
import { KEY } from "../../support/server/ledger.ts";
import { test, withServerHere } from "../../support/server/in_process.ts";
import { walk } from "../../support/server/server_process.ts";
import { FILE, readPets, STORE, toNdjson } from "../../support/server/pet_files.ts";

test("sample pets are valid, and differ", () => {
  const pets = Array.from({ length: 10_000 }, (_, i) => samplePet(i));
  for (const pet of pets) assert.deepEqual(parseNewPet(formatPetWithId(1, pet), "sold"), pet);
  assert.ok(new Set(pets.map(({ name }) => name)).size > 1_500);
});

test.inFolder("--seed fills an empty store in memory and in a file, and does nothing to a store that has pets", async () => {
  const start = (store: string, count: number, told: string) =>
    withServerHere({ args: [`--key=${KEY}`, "--log=off", store, `--seed=${count}`] }, async (server) => {
      assert.equal(server.written.stderr, `petstore: ${told}\n`);
      const names = (await walk(KEY, server)).map(({ name }) => name);
      assert.deepEqual(names, Array.from({ length: 150 }, (_, i) => samplePet(i).name));
    });
  for (const store of ["--store=memory:", STORE]) await start(store, 150, "150 sample pets are added");
  await start(STORE, 7, "the store has pets, so no sample pets are added");
});

test.inFolder("several starts at the same moment add each sample once", async () => {
  await using first = createSqliteStore(FILE, { writerThread: "never" });
  await using second = createSqliteStore(FILE, { writerThread: "never" });
  await Promise.all([seed(first, 4_000), seed(second, 4_000), seed(first, 4_000)]);
  assert.equal(await readPets(), toNdjson(Array.from({ length: 4_000 }, (_, i) => samplePet(i))));
});
