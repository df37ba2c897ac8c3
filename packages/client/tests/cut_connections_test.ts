/** createClient() and a petstore that cuts connections. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { createClient, type Pet } from "../mod.ts";
import { createNodeListener } from "@petstore/petstore/node";
import { withFaults } from "@petstore/petstore/faults";
import { createPetstore } from "@petstore/petstore";
import { withListening } from "../../../tests/support/http/listening.ts";
import { newSeed } from "../../../tests/support/random.ts";

const CREATES = 1000, CALLERS = 50;
const LARGEST = 2n ** 63n - 1n, SMALLEST = -(2n ** 63n);

test(`${CREATES} creates make ${CREATES} pets, though one connection in three is cut before or after its request is carried out`, async () => {
  const seed = newSeed() % 2 ** 31 || 1;
  const petstore = withFaults(createPetstore({ keys: ["pk_test"] }), { cut: 1 / 6, lose: 1 / 6, seed });
  await withListening(createServer(createNodeListener(petstore)), async (port) => {
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    // With the default of ten retries, one run in 170 has a create whose attempts all fail.
    const { pets } = createClient({ baseUrl, key: "pk_test", maxRetries: 40, timeoutMs: 300_000 });
    const created: Pet[] = [];
    let left = CREATES;
    const caller = async () => {
      while (left-- > 0) {
        const categoryId = left % 2 === 0 ? LARGEST : SMALLEST;
        const pet = await pets.create({ name: "Rex", categoryId });
        assert.equal(pet.categoryId, categoryId);
        created.push(pet);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    const listed = await pets.list({ limit: 100 }).toArray();
    assert.equal(listed.length, CREATES, `seed ${seed}`);
    assert.deepEqual(created.toSorted((a, b) => Number(a.id - b.id)), listed, `seed ${seed}`);
    for (const pet of listed.slice(0, 100)) assert.deepEqual(await pets.get(pet.id), pet, `seed ${seed}`);
  });
});
