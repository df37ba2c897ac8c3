/** int64 in each generated client: as generated, with its own options, and with the remedies of docs/clients.md. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { CLIENTS, type PetClient } from "./clients/pet_client.ts";
import { generate, KEY, type Service, withServer } from "./support/service.ts";

const MAX = "9223372036854775807";
const HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };

/** Adds a pet without a generated client. */
async function addExactly({ base }: Service, categoryId: string): Promise<void> {
  const body = `{"name":"Max","categoryId":${categoryId}}`;
  const { status } = await fetch(`${base}/pets`, { method: "POST", headers: HEADERS, body });
  assert.equal(status, 201);
}

/** The categories of the pets, as the server writes them. */
async function categoriesOf({ base }: Service): Promise<string[]> {
  const text = await (await fetch(`${base}/pets`, { headers: HEADERS })).text();
  return [...text.matchAll(/"categoryId":(-?\d+)/g)].map(([, digits = ""]) => digits);
}

/** Not a literal: Deno would look for files that are not generated yet. */
// deno-lint-ignore no-explicit-any
async function load(path: string): Promise<any> {
  await generate();
  return await import(path);
}

for (const name of CLIENTS) {
  test(`the client of ${name}, as generated, rounds every int64 that it reads or sends, without an error`, () =>
    withServer(async (service) => {
      await addExactly(service, MAX);
      const client: PetClient = (await load(`./clients/${name}.ts`)).create(service.base, KEY);
      assert.equal((await client.get(1)).data?.categoryId, 2 ** 63); // One more than the server sent.
      // The compiler rounds the literal: 9007199254740993 in the source is this number already.
      assert.equal((await client.create({ name: "Rex", categoryId: Number("9007199254740993") })).status, 201);
      assert.deepEqual(await categoriesOf(service), [MAX, "9007199254740992"]);
      // The largest int64 is rounded to 2^63, which is not an int64.
      assert.equal((await client.create({ name: "Rex", categoryId: Number(MAX) })).error?.code, "invalid_pet");
    }));
}

test("openapi-fetch with bigint only in its types throws when it sends a bigint, and reads numbers", () =>
  withServer(async (service) => {
    await addExactly(service, MAX);
    const { default: createClient } = await load("openapi-fetch");
    const client = createClient({ baseUrl: service.base, headers: HEADERS });
    await assert.rejects(client.POST("/pets", { body: { name: "Max", categoryId: BigInt(MAX) } }), TypeError);
    const { data } = await client.GET("/pets");
    assert.equal(data[0].categoryId, 2 ** 63);
  }));

test("the transformers of @hey-api/openapi-ts alone make a bigint from the rounded number, and send a bigint as a string", () =>
  withServer(async (service) => {
    await addExactly(service, MAX);
    const { client } = await load("./generated/hey_api_exact/client.gen.ts");
    const { createPet, getPet } = await load("./generated/hey_api_exact/index.ts");
    client.setConfig({ baseUrl: service.base, auth: KEY });
    assert.equal((await getPet({ path: { petId: 1n } })).data.categoryId, 9223372036854776000n); // The number as JavaScript writes it.
    const { error } = await createPet({ body: { name: "Max", categoryId: BigInt(MAX) } });
    assert.equal(error.code, "invalid_pet");
    assert.match(error.message, /categoryId must be an integer .* not "9223372036854775807"/);
  }));

test("orval's useBigInt alone throws when it sends a bigint, and reads numbers typed as bigint", () =>
  withServer(async (service) => {
    await addExactly(service, MAX);
    const { createPet, getPet } = await load("./generated/orval_bigint.ts");
    Object.assign((await load("./examples/common.ts")).settings, { baseUrl: service.base, headers: HEADERS });
    await assert.rejects(createPet({ name: "Max", categoryId: BigInt(MAX) }), TypeError);
    assert.equal((await getPet(1n)).data.categoryId, 2 ** 63);
  }));

test("Kubb's schemas refuse a number beyond 2^53, in a response and in a request", () =>
  withServer(async (service) => {
    await addExactly(service, MAX);
    const { petSchema, newPetSchema } = await load("./generated/kubb/zod/index.ts");
    const client: PetClient = (await load("./clients/kubb.ts")).create(service.base, KEY);
    const { data } = await client.get(1);
    assert.equal(petSchema.safeParse(data).success, false);
    assert.equal(petSchema.safeParse({ ...data, categoryId: 2 ** 53 - 1 }).success, true);
    assert.equal(newPetSchema.safeParse({ name: "Max", categoryId: Number("9007199254740993") }).success, false);
  }));
