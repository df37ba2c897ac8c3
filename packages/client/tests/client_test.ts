/** createClient() on a petstore in the same process: it calls `handle`, without a socket. */

import assert from "node:assert/strict";
import test from "node:test";
import { type Deprecation, formatPet, formatPets, type Pet, type PetPage } from "../mod.ts";
import { createPets, type Pets } from "../lib/pets.ts";
import { createOpenApi } from "@petstore/petstore/openapi";
import { createPetstore } from "@petstore/petstore";
import { failed, inProcess, KEY } from "./support.ts";

const LARGEST = 2n ** 63n - 1n, SMALLEST = -(2n ** 63n);

/** The member of an operation in an OpenAPI description that names it. */
interface Operation {
  operationId?: string;
}

/** Each call, so that a new one does not compile without its line. */
const CALLS: Record<keyof Pets, (pets: Pets) => Promise<unknown>> = {
  list: (pets) => pets.list()[Symbol.asyncIterator]().next(),
  page: (pets) => pets.page(),
  get: (pets) => pets.get(1n),
  create: (pets) => pets.create({ name: "Rex", categoryId: 7n }),
};

test("each call of the client sends the method and the path of its operation, and each operation has a call", async () => {
  const description = JSON.stringify(createOpenApi(createPetstore({ keys: [KEY] })));
  const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(description);
  const defined = new Map<string, string>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { operationId }] of Object.entries(operations)) {
      if (operationId) defined.set(operationId, `${method.toUpperCase()} ${path.replace("{petId}", "1")}`);
    }
  }
  const called = new Set<string>();
  for (const call of Object.values(CALLS)) {
    const sent = Promise.withResolvers<string[]>();
    const pets = createPets(({ operation, method, path }) => {
      sent.resolve([operation, `${method} ${path.split("?")[0]}`]);
      return Promise.reject(new Error("It is sent"));
    });
    await assert.rejects(call(pets), /It is sent/);
    const [operation, request] = await sent.promise;
    assert.equal(request, defined.get(operation!));
    called.add(operation!);
  }
  // The app answers this one, in a form of its own.
  assert.deepEqual([...defined.keys()].filter((id) => !called.has(id)), ["listStoreOrders"]);
});

test("createClient() creates, gets and lists pets with exact int64", async () => {
  const { pets } = inProcess();
  const ids = [LARGEST, SMALLEST, 2n ** 53n + 1n, 0n, -7n];
  for (const categoryId of ids) {
    const pet = await pets.create({ name: 'Rex "1e9", 7.0 ]}', categoryId, status: "sold" });
    assert.equal(pet.categoryId, categoryId);
    assert.deepEqual(await pets.get(pet.id), pet);
  }
  const listed = await Array.fromAsync(pets.list());
  assert.deepEqual(listed.map(({ categoryId }) => categoryId), ids);
  assert.deepEqual(listed[0], { id: 1n, name: 'Rex "1e9", 7.0 ]}', categoryId: LARGEST, status: "sold" });
});

test("createClient() leaves the status to the petstore unless it is given, and sends no other member", async () => {
  const { pets, requests } = inProcess({ defaultStatus: "pending" });
  const pet = { name: "Rex", categoryId: 7n, id: 9n, toJSON: () => "x" };
  assert.equal((await pets.create(pet)).status, "pending");
  assert.equal(requests[0]?.headers.get("content-type"), "application/json");
});

test("list() follows Link to the end, asks for a page when it is needed, and begins anew each time", async () => {
  const { pets, requests } = inProcess();
  for (let i = 0; i < 7; i++) {
    await pets.create({ name: `Pet ${i}`, categoryId: 7n, status: i % 2 === 0 ? "sold" : "pending" });
  }
  requests.length = 0;
  const list = pets.list({ limit: 2, status: "sold" });
  assert.equal(requests.length, 0);
  for (let round = 1; round <= 2; round++) {
    const names = (await Array.fromAsync(list)).map(({ name }) => name);
    assert.deepEqual(names, ["Pet 0", "Pet 2", "Pet 4", "Pet 6"]);
    assert.equal(requests.length, 2 * round);
  }
  assert.deepEqual((await Array.fromAsync(pets.list({ limit: 3 }).pages())).map(({ length }) => length), [3, 3, 1]);
  requests.length = 0;
  for await (const { name } of pets.list({ limit: 1 })) if (name === "Pet 1") break;
  assert.equal(requests.length, 2);
});

test("page() gets one page, and the cursor with which the next call gets the next", async () => {
  const { pets, requests } = inProcess();
  for (let i = 0; i < 5; i++) await pets.create({ name: `Pet ${i}`, categoryId: 7n, status: "sold" });
  await pets.create({ name: "Luna", categoryId: 7n });
  requests.length = 0;
  const seen: string[][] = [];
  // The cursor as the query of a request has it: null for the first page.
  let cursor: string | null | undefined = null;
  do {
    const page: PetPage = await pets.page({ status: "sold", limit: 2, cursor });
    seen.push(page.pets.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.deepEqual(seen, [["Pet 0", "Pet 1"], ["Pet 2", "Pet 3"], ["Pet 4"]]);
  assert.equal(requests.length, 3);
  const { nextCursor } = await pets.page({ limit: 5 });
  assert.deepEqual((await pets.list({ cursor: nextCursor }).toArray()).map(({ name }) => name), ["Luna"]);
  assert.equal((await failed(pets.page({ cursor: "&status=sold" }))).code, "invalid_cursor");
  assert.equal((await pets.page()).pets.length, 6);
});

test("page() is an error if the next page has no cursor, which list() does not need", async () => {
  const link = { link: '</v1/pets?page=2>; rel="next"' };
  const fetch = ({ url }: Request) =>
    Promise.resolve(Response.json([], url.includes("page=2") ? {} : { headers: link }));
  const { pets } = inProcess({}, { fetch });
  assert.deepEqual(await pets.list().toArray(), []);
  assert.equal((await failed(pets.page())).message, "The next page has no cursor: ?page=2");
});

test("toArray() has each pet, also of a page that is too long for arguments", async () => {
  const text = JSON.stringify(Array.from({ length: 200_000 }, (_, id) => ({ id, name: "x", categoryId: 7 })));
  const { pets } = inProcess({}, { fetch: () => Promise.resolve(new Response(text)) });
  const all = await pets.list().toArray();
  assert.deepEqual([all.length, all.at(-1)], [200_000, { id: 199_999n, name: "x", categoryId: 7n }]);
});

test("a pet of a server that leaves out the status has none", async () => {
  const response = () => Promise.resolve(new Response('{"id":1,"name":"Rex","categoryId":7}'));
  const pet = await inProcess({}, { fetch: response }).pets.get(1n);
  assert.deepEqual(pet, { id: 1n, name: "Rex", categoryId: 7n });
  assert.equal(formatPet(pet), '{"id":1,"name":"Rex","categoryId":7}');
});

test("formatPet() and formatPets() write what the petstore sends, with exact int64", async () => {
  const { pets, petstore } = inProcess();
  for (const [categoryId, name] of [[LARGEST, 'Rex "1e9"\u2028\ud800'], [SMALLEST, "é"]] as const) {
    await pets.create({ name: name.toWellFormed(), categoryId, status: "sold" });
  }
  const headers = { authorization: `Bearer ${KEY}` };
  const sent = await petstore.handle(new Request("http://localhost/v1/pets", { headers }));
  const all = await pets.list().toArray();
  assert.equal(formatPets(all), await sent.text());
  assert.equal(`[${all.map(formatPet)}]`, formatPets(all));
  for (const wrong of [{ id: 1 }, { categoryId: "7" }, { name: 7 }]) {
    assert.throws(() => formatPet({ ...all[0]!, ...wrong } as unknown as Pet), TypeError);
  }
});

test("a create has an Idempotency-Key of its own, unless the caller has one or wants none", async () => {
  const { pets, requests } = inProcess();
  const rex = { name: "Rex", categoryId: 7n };
  await pets.create(rex);
  await pets.create(rex);
  const [first, second] = requests.map(({ headers }) => headers.get("idempotency-key"));
  assert.match(first!, /^\d+-\d+-\d+-\d+$/);
  assert.notEqual(first, second);
  const { id } = await pets.create(rex, { idempotencyKey: "order-4711" });
  assert.deepEqual(await pets.create(rex, { idempotencyKey: "order-4711" }), { id, ...rex, status: "available" });
  const reused = await failed(pets.create({ ...rex, name: "Luna" }, { idempotencyKey: "order-4711" }));
  assert.deepEqual([reused.code, reused.status], ["idempotency_key_reused", 422]);
  await pets.create(rex, { idempotencyKey: null });
  assert.equal(requests.at(-1)?.headers.get("idempotency-key"), null);
});

test("a refusal is a PetstoreError with the code, the message, the status and the request's id", async () => {
  const { pets, petstore } = inProcess({
    requestIds: "failures",
  });
  const wrongKey = inProcess({}, { key: "pk_wrong", fetch: petstore.handle });
  const failures = [
    await failed(pets.get(9n)),
    await failed(pets.create({ name: "", categoryId: 2n ** 63n })),
    await failed(Array.fromAsync(pets.list({ limit: 101 }))),
    await failed(wrongKey.pets.get(1n)),
  ];
  assert.deepEqual(failures.map(({ code, status }) => [code, status]), [
    ["pet_not_found", 404],
    ["invalid_pet", 400],
    ["invalid_limit", 400],
    ["invalid_api_key", 401],
  ]);
  for (const { requestId } of failures) assert.match(requestId!, /^[0-9a-f-]{36}$/);
  assert.equal(String(failures[0]), 'PetstoreError: There is no pet "9"');
});

test("onDeprecation is told of a deprecated operation once, and its exceptions change nothing", async () => {
  const told: Deprecation[] = [];
  const onDeprecation = (deprecation: Deprecation) => {
    told.push(deprecation);
    throw new Error("Of the app");
  };
  const { pets } = inProcess({}, { onDeprecation });
  const { id } = await pets.create({ name: "Rex", categoryId: 7n });
  await failed(pets.get(9n));
  await pets.get(id);
  await Array.fromAsync(pets.list());
  const since = new Date("2026-11-20"), sunset = new Date("2030-12-05");
  assert.deepEqual(told, [{ operation: "getPet", since, sunset, successor: "/v1/pets" }]);
});

test("JSON.stringify() shows the message of an error, and not its cause", async () => {
  const error = await failed(inProcess({ requestIds: "none" }).pets.get(9n));
  error.cause = new Error("Cut");
  const { name, code, message, status } = error;
  assert.deepEqual(JSON.parse(JSON.stringify(error)), { name, code, message, status });
});

test("list() ends in the middle of a page when its signal is aborted", async () => {
  const { pets } = inProcess();
  for (let i = 0; i < 3; i++) await pets.create({ name: "Rex", categoryId: 7n });
  const controller = new AbortController();
  let count = 0;
  const list = async () => {
    for await (const _ of pets.list({ signal: controller.signal })) {
      count++;
      controller.abort(new Error("The user has left"));
    }
  };
  await assert.rejects(list(), /The user has left/);
  assert.equal(count, 1);
});
