/** `POST /reset` brings a store in memory back to its start, where the operator allows it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type AnyServer, withFreshServerHere } from "../support/server/in_process.ts";
import { countPets, PET } from "../support/server/server_process.ts";

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
  for (const [args, key, expected] of [[RESETTING, "pk_other", 401], [MEMORY, KEY, 404]] as const) {
    await withFreshServerHere({ args: [...args] }, async ({ ask }) => {
      assert.equal((await ask("/reset", key, { method: "POST" })).status, expected);
    });
  }
});
