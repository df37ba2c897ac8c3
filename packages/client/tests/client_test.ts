/** What createClient() and its calls take, send and return, on a petstore in the same process, without a socket. */

import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Deprecation, formatPet, formatPets, type Pet } from "../mod.ts";
import { createPets, type Pets } from "../lib/pets.ts";
import { OPERATIONS } from "../../../lib/operations/table.ts";
import { whileReplaced } from "../../../tests/support/while_replaced.ts";
import { answeredBy, failed, inProcess, KEY } from "./support.ts";

const LARGEST = 2n ** 63n - 1n, SMALLEST = -(2n ** 63n);
const REX = { name: "Rex", categoryId: 7n };

/** Each call, so that a new one does not compile without its line. */
const CALLS: Record<keyof Pets, (pets: Pets) => Promise<unknown>> = {
  list: (pets) => pets.list().toArray(),
  page: (pets) => pets.page(),
  get: (pets) => pets.get(1n),
  create: (pets) => pets.create(REX),
};

test("each call of the client sends the method and the path of its operation, and each operation has a call", async () => {
  const defined = OPERATIONS.map(({ id, method, path }) => `${id}: ${method} ${path.replace("{petId}", "1")}`);
  const called = new Set<string>();
  const pets = createPets(({ operation, method, path }) => {
    called.add(`${operation}: ${method} ${path}`);
    return Promise.reject(new Error("It is sent"));
  });
  for (const call of Object.values(CALLS)) await assert.rejects(call(pets), /It is sent/);
  // The app answers this one, in a form of its own.
  assert.deepEqual([...called, "listStoreOrders: GET /store/orders"].sort(), defined.sort());
});

test("createClient() creates, gets and lists pets with exact int64, and formatPets() writes what the petstore sends", async () => {
  const { pets, petstore } = inProcess();
  const name = 'Rex "1e9", 7.0 ]}\u2028é';
  const ids = [LARGEST, SMALLEST, 2n ** 53n + 1n, 0n, -7n];
  for (const [i, categoryId] of ids.entries()) {
    const pet = await pets.create({ name, categoryId, status: "sold" });
    assert.deepEqual(pet, { id: BigInt(i + 1), name, categoryId, status: "sold" });
    assert.deepEqual(await pets.get(pet.id), pet);
  }
  const listed = await pets.list().toArray();
  assert.deepEqual(listed.map(({ categoryId }) => categoryId), ids);
  const headers = { authorization: `Bearer ${KEY}` };
  const sent = await petstore.handle(new Request("http://localhost/v1/pets", { headers }));
  assert.equal(formatPets(listed), await sent.text());
  assert.equal(`[${listed.map(formatPet)}]`, formatPets(listed));
  assert.throws(() => formatPet({ ...listed[0]!, id: 1 } as unknown as Pet), TypeError);
});

test("a status may be missing: in a pet of a server that leaves it out, and in a create, for which the petstore chooses", async () => {
  const text = '{"id":1,"name":"Rex","categoryId":7}';
  const pet = await answeredBy(() => new Response(text)).get(1n);
  assert.deepEqual(pet, { id: 1n, ...REX });
  assert.equal(formatPet(pet), text);
  const { pets } = inProcess({ defaultStatus: "pending" });
  assert.equal((await pets.create(pet)).status, "pending");
});

test("a create has an Idempotency-Key of its own, unless the caller has one or wants none", async () => {
  const { pets, requests } = inProcess();
  await pets.create(REX);
  await pets.create(REX);
  const [first, second] = requests.map(({ headers }) => headers.get("idempotency-key"));
  assert.match(first!, /^\d+-\d+-\d+-\d+$/);
  assert.notEqual(first, second);
  const { id } = await pets.create(REX, { idempotencyKey: "order-4711" });
  assert.deepEqual(await pets.create(REX, { idempotencyKey: "order-4711" }), { id, ...REX, status: "available" });
  const reused = await failed(pets.create({ ...REX, name: "Luna" }, { idempotencyKey: "order-4711" }));
  assert.deepEqual([reused.code, reused.status], ["idempotency_key_reused", 422]);
  await pets.create(REX, { idempotencyKey: null });
  assert.equal(requests.at(-1)?.headers.get("idempotency-key"), null);
});

test("onDeprecation is told of a deprecated operation once, and its exceptions change nothing", async () => {
  const told: Deprecation[] = [];
  const onDeprecation = (deprecation: Deprecation) => {
    told.push(deprecation);
    throw new Error("Of the app");
  };
  const { pets } = inProcess({}, { onDeprecation });
  const { id } = await pets.create(REX);
  assert.equal((await failed(pets.get(9n))).code, "pet_not_found");
  await pets.get(id);
  const since = new Date("2026-11-20"), sunset = new Date("2030-12-05");
  assert.deepEqual(told, [{ operation: "getPet", since, sunset, successor: "/v1/pets" }]);
});

test("a call with a wrong argument or a misspelt option is refused, and nothing is sent", async () => {
  const { pets, requests } = inProcess();
  const misspelt = { idempotencykey: "a" } as Record<string, unknown>;
  const calls = [
    () => pets.get(7 as unknown as bigint),
    () => pets.create({ ...REX, categoryId: '7,"id":1' as unknown as bigint }),
    () => pets.create(REX, { idempotencyKey: "a\r\nb: c" }),
    () => pets.create(REX, misspelt),
  ];
  for (const call of calls) await assert.rejects(call, TypeError);
  assert.deepEqual(requests, []);
});

test("createClient() refuses options that are missing, unknown or wrong, and quotes no key", () => {
  const address = /^TypeError: Option baseUrl must be an address such as "https:\/\/pets.example\/v1"$/;
  const wrong: [options: Record<string, unknown>, message: RegExp][] = [
    [{ key: "Bearer pk_secret" }, /^TypeError: Option key must be a text of visible ASCII .* without spaces$/],
    [{ baseUrl: "http://h/v1?a" }, address],
    [{ baseUrl: "https://user:pk_secret@h/v1" }, address],
    [{ baseUrl: "pk_secret" }, address],
    [{ timeoutMs: 2 ** 31 }, /^RangeError: Option timeoutMs must be a number from 1 to 2147483647/],
    [{ baseURL: "http://localhost/v1" }, /^TypeError: Unknown option baseURL; the options are baseUrl, key, fetch, /],
  ];
  for (const [options, message] of wrong) {
    assert.throws(() => createClient({ baseUrl: "http://localhost/v1", key: KEY, ...options }), message);
  }
});

test("baseUrl may be a URL with a slash at its end, and an option that is undefined is as one that is not given", async () => {
  const { pets, requests } = inProcess({}, { baseUrl: new URL("http://localhost/v1/"), timeoutMs: undefined });
  await pets.list({ status: undefined, limit: undefined }).toArray();
  assert.deepEqual(requests.map(({ url }) => url), ["http://localhost/v1/pets"]);
});

test("a runtime that does not tell the source of a number refuses what it may have rounded", async () => {
  const { parse: own } = JSON;
  const parse: typeof JSON.parse = (text, reviver) => own(text, reviver && ((name, value) => reviver(name, value)));
  await whileReplaced(JSON, { parse }, async () => {
    const read = (categoryId: string) => {
      return answeredBy(() => new Response(`{"id":1,"name":"1234567890123456","categoryId":${categoryId}}`)).get(1n);
    };
    assert.equal((await read("9007199254740991")).categoryId, 2n ** 53n - 1n);
    for (const rounded of ["9007199254740993", "7.5", "7e400"]) {
      assert.equal((await failed(read(rounded))).code, "unexpected_response", rounded);
    }
  });
});
