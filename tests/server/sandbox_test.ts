/** What people who test a client switch on: `--seed`, `--faults`, and `POST /reset` by `--allow-reset`. */

import assert from "node:assert/strict";
import { formatPetWithId, parseNewPet } from "../../lib/pet.ts";
import { samplePet, seed } from "../../lib/server/serving/seed.ts";
import { createSqliteStore } from "../../lib/stores/sqlite/create_sqlite_store.ts";
import {
  type AnyServer,
  readSettings,
  test,
  withFreshServerHere,
  withServerHere,
} from "../support/server/in_process.ts";
import { FILE, readPets, STORE, toNdjson } from "../support/server/pet_files.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { countPets, PET, walk } from "../support/server/server_process.ts";

const KEY = "pk_test";
const MEMORY = ["--store=memory:", `--key=${KEY}`, "--seed=3"];
const RESETTING = [...MEMORY, "--allow-reset"];

function reset({ ask }: AnyServer) {
  return ask("/reset", KEY, { method: "POST" });
}

function create({ ask }: AnyServer, more: Record<string, string> = {}) {
  return ask("/v1/pets", KEY, { method: "POST", headers: { "content-type": "application/json", ...more }, body: PET });
}

test("a reset removes the added pets and the remembered requests, and brings the sample pets back", () =>
  withFreshServerHere({ args: RESETTING }, async (server) => {
    assert.match(server.written.stderr, /POST \/reset with a key that may write removes every pet/);
    for (let round = 0; round < 2; round++) {
      const { status, text } = await create(server, { "idempotency-key": '"one"' });
      assert.deepEqual([status, JSON.parse(text).id], [201, 4]);
      // The second response is kept, and the third one comes from the cache.
      for (let i = 0; i < 3; i++) assert.equal((await server.ask("/v1/pets/4", KEY)).status, 200);
      assert.equal((await reset(server)).status, 204);
      assert.equal((await server.ask("/v1/pets/4", KEY)).status, 404);
      assert.equal(await countPets(server, KEY), 3);
    }
  }));

test("a request that a fault delays over a reset adds no pet after it, and the faults begin again", () => {
  const faults = "--faults=delay=1,delayMs=500,operations=createPet,times=1";
  return withFreshServerHere({ args: [...RESETTING, faults] }, async (server) => {
    for (let round = 0; round < 2; round++) {
      // Only one of the two is delayed. When the other has its response, the delayed one has surely come.
      const both = [create(server), create(server)];
      await Promise.race(both);
      assert.equal((await reset(server)).status, 204);
      for (const { status } of await Promise.all(both)) assert.equal(status, 201);
      assert.equal(await countPets(server, KEY), 3);
    }
  });
});

test("a reset needs a key, and does not exist unless it is allowed", async () => {
  await withFreshServerHere({ args: RESETTING }, async ({ ask }) => {
    assert.equal((await ask("/reset", "pk_other", { method: "POST" })).status, 401);
  });
  await withFreshServerHere({ args: MEMORY }, async (server) => assert.equal((await reset(server)).status, 404));
});

test("--faults loses the response of a create, and the log has the create, a line for the start and no stack trace", () => {
  const args = [`--key=${KEY}`, "--store=memory:", "--log=json", "--faults=lose=1,times=1,operations=createPet"];
  return withFreshServerHere({ args }, async (server) => {
    for (const path of ["/livez", "/v1/pets"]) assert.equal((await server.ask(path, KEY)).status, 200);
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
    // Deno's own fetch() repeats a create whose kept connection ends, so each gets a new one.
    using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    const create = () => fetch(`${server.origin}/v1/pets`, { method: "POST", headers, body: PET, client });
    await assert.rejects(create().then((response) => response.text()));
    assert.equal((await (await create()).json()).id, 2);
    assert.equal(await server.stop(), 0);
    const lines = server.written.stderr.trimEnd().split("\n").map((line) => JSON.parse(line).message);
    const told = 'some requests fail on purpose: {"lose":1,"times":1,"operations":["createPet"]}';
    // Node has no line for what it cuts.
    assert.deepEqual(lines, ON_NODE ? [told] : [told, "The connection was cut, which is a fault on purpose"]);
    assert.match(server.written.stdout, /"method":"POST".*"status":201.*"fault":"lose"/);
  });
});

test("--faults has the options of withFaults(), and refuses others", () => {
  const read = (text: string) => readSettings([`--faults=${text}`]).faults;
  assert.deepEqual(read("delay=0.25,delayMs=30,cut=.5,seed=7"), { delay: 0.25, delayMs: 30, cut: 0.5, seed: 7 });
  assert.deepEqual(read("lose=1, operations=createPet+getPet"), { lose: 1, operations: ["createPet", "getPet"] });
  for (const wrong of ["lose=0x1", "0.1", "lose=1,operations=createPet,getPet", "loose=1"]) {
    assert.throws(() => read(wrong), /^SettingError: --faults: (Option|Unknown option|\S+ has no) /, wrong);
  }
});

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
