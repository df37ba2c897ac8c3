/** What createPetstore() and createOpenApi() refuse, and what two petstores share. */

import assert from "node:assert/strict";
import test from "node:test";
import {
  createMemoryStore,
  createOpenApi,
  createPetstore,
  type JsonObject,
  type OpenApiOptions,
  type PetStore,
  type PetstoreOptions,
} from "../../mod.ts";

/** Options as somebody without types would write them, and what the message must say. */
const REFUSED: [what: string, options: unknown, message: RegExp][] = [
  ["no options", undefined, /needs options, such as \{ keys: \[key\] \}/],
  ["null", null, /needs options/],
  ["no keys", {}, /Option keys must be an iterable of API keys or a function/],
  ["an empty list of keys", { keys: [] }, /at least one API key/],
  ["one key that is no list", { keys: "secret" }, /iterable/],
  ["a key that is no text", { keys: ["a", 7] }, /API key number 2 must be/],
  ["an empty key", { keys: [""] }, /API key number 1 must be/],
  ["a key with a space", { keys: ["secret key"] }, /no space or comma/],
  ["a digest that is none", { keys: ["sha256:abc"] }, /sha256: and 64 hexadecimal digits/],
  [
    "an unknown option",
    { keys: ["k"], basepath: "/v1" },
    /Unknown option basepath; the options are keys, store, basePath/,
  ],
  ["a store without methods", { keys: ["k"], store: {} }, /Option store must be a PetStore.*create\(\)/],
  ["a promise of a store", { keys: ["k"], store: Promise.resolve() }, /Option store is a promise; await it first/],
  [
    "a base path without its slash",
    { keys: ["k"], basePath: "v1" },
    /Option basePath must be a path such as "\/v1".*not "v1"/,
  ],
  ["a base path that ends in a slash", { keys: ["k"], basePath: "/v1/" }, /basePath/],
  ["a base path with a query", { keys: ["k"], basePath: "/v1?a" }, /basePath/],
  ["a base path with dots", { keys: ["k"], basePath: "/a/../v1" }, /basePath/],
  ["a base path that breaks a header", { keys: ["k"], basePath: "/v1\r\nX: y" }, /basePath/],
  ["a base path that ends a link", { keys: ["k"], basePath: "/v1>" }, /basePath/],
  ["a public address of another scheme", { keys: ["k"], publicBaseUrl: "ftp://a.example" }, /publicBaseUrl must be an/],
  ["a public address without a scheme", { keys: ["k"], publicBaseUrl: "api.example/v1" }, /publicBaseUrl/],
  ["a public address with a query", { keys: ["k"], publicBaseUrl: "https://a.example/v1?x" }, /publicBaseUrl/],
  ["a public address with a password", { keys: ["k"], publicBaseUrl: "https://a:b@a.example" }, /publicBaseUrl/],
  ["a public address that ends a link", { keys: ["k"], publicBaseUrl: "https://a.example/>" }, /publicBaseUrl/],
  ["a public address that breaks a header", { keys: ["k"], publicBaseUrl: "/v1\r\nX: y" }, /publicBaseUrl/],
  ["a public address of another host without a scheme", { keys: ["k"], publicBaseUrl: "//a.example" }, /publicBaseUrl/],
  ["a public address that is no text", { keys: ["k"], publicBaseUrl: 1 }, /publicBaseUrl/],
  ["a base path that is no text", { keys: ["k"], basePath: 1 }, /basePath/],
  ["an unknown default status", { keys: ["k"], defaultStatus: "lost" }, /one of available, pending, sold, not "lost"/],
  ["no bytes at all", { keys: ["k"], maxBodyBytes: 0 }, /maxBodyBytes must be a whole number from 1/],
  ["half a byte", { keys: ["k"], maxBodyBytes: 1.5 }, /maxBodyBytes/],
  ["a time that is no number", { keys: ["k"], bodyTimeoutMs: "10" }, /bodyTimeoutMs must be a whole number.*not "10"/],
  ["an endless time", { keys: ["k"], bodyTimeoutMs: Infinity }, /bodyTimeoutMs/],
  ["no origins", { keys: ["k"], cors: { origins: [] } }, /cors must be \{ origins: \[...\] \}/],
  [
    "an origin with a path",
    { keys: ["k"], cors: { origins: ["https://a.example/"] } },
    /CORS origin "https:\/\/a.example\/"/,
  ],
  ["the origin null", { keys: ["k"], cors: { origins: ["null"] } }, /CORS origin "null"/],
  ["* among others", { keys: ["k"], cors: { origins: ["*", "https://a.example"] } }, /CORS origin "\*"/],
  [
    "a member of cors that there is not",
    { keys: ["k"], cors: { origins: ["*"], credentials: true } },
    /^Unknown member credentials of option cors; its only member is origins$/,
  ],
  ["orders that are no function", { keys: ["k"], handleStoreOrders: {} }, /handleStoreOrders must be a function/],
  ["an onError that is none", { keys: ["k"], onError: true }, /onError must be a function, not true/],
];

for (const [what, options, message] of REFUSED) {
  test(`createPetstore() throws a TypeError for ${what}, and shows no key`, () => {
    assert.throws(() => createPetstore(options as PetstoreOptions), (error: Error) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, message);
      assert.ok(!error.message.includes("secret") && !error.message.includes("\n"));
      return true;
    });
  });
}

async function countPets({ handle }: ReturnType<typeof createPetstore>, key: string): Promise<number> {
  const answer = await handle(new Request("http://x/v1/pets", { headers: { authorization: `Bearer ${key}` } }));
  return answer.status === 200 ? (await answer.json()).length : -1;
}

test("two petstores in one process share neither pets nor keys", async () => {
  const [first, second] = [createPetstore({ keys: ["one"] }), createPetstore({ keys: ["two"] })];
  // Needs no `this`.
  const { handle } = first;
  const headers = { authorization: "Bearer one", "content-type": "application/json" };
  await handle(new Request("http://x/v1/pets", { method: "POST", headers, body: '{"name":"Rex","categoryId":7}' }));
  assert.deepEqual([await countPets(first, "one"), await countPets(second, "two")], [1, 0]);
  assert.deepEqual([await countPets(first, "two"), await countPets(second, "one")], [-1, -1]);
});

test("two petstores on one store show the same pets under their own paths", async () => {
  const store = createMemoryStore();
  store.create({ name: "Rex", categoryId: 7n, status: "sold" });
  for (const basePath of ["/a", "/b"]) {
    const { handle } = createPetstore({ keys: ["k"], store, basePath });
    const answer = await handle(new Request(`http://x${basePath}/pets/1`, { headers: { authorization: "Bearer k" } }));
    assert.equal(answer.status, 200);
  }
});

test("a petstore tells the app what a client must not see, and says 500 to a body that was read before", async () => {
  const told: unknown[] = [];
  const { handle } = createPetstore({ keys: ["k"], onError: (error) => told.push(error) });
  const request = new Request("http://x/v1/pets", {
    method: "POST",
    headers: { authorization: "Bearer k" },
    body: "{}",
  });
  request.headers.set("content-type", "application/json");
  await request.text();
  assert.equal((await handle(request)).status, 500);
  assert.match(String(told[0]), /has been read before/);
});

test("whatever an app's store orders return, handle() answers and does not reject", async () => {
  for (const bad of [undefined, {}, Response.error()]) {
    const handleStoreOrders = () => bad as Response;
    const { handle } = createPetstore({ keys: ["k"], cors: { origins: ["*"] }, handleStoreOrders, onError: () => {} });
    const answer = await handle(new Request("http://x/v1/store/orders", { headers: { authorization: "Bearer k" } }));
    assert.equal(answer.status, 500);
  }
});

test("store orders whose body is being read, or has been, get 500, and the app is told why", async () => {
  const locked = new Response("[]");
  const reader = locked.body!.getReader();
  const used = new Response("[]");
  await used.text();
  for (const cors of [{}, { cors: { origins: ["*"] } }]) {
    for (const method of ["GET", "HEAD"]) {
      for (const response of [locked, used]) {
        const told: unknown[] = [];
        const onError = (error: unknown) => told.push(error);
        const { handle } = createPetstore({ keys: ["k"], ...cors, handleStoreOrders: () => response, onError });
        const headers = { authorization: "Bearer k" };
        const answer = await handle(new Request("http://x/v1/store/orders", { method, headers }));
        assert.equal(answer.status, 500);
        assert.match(String(told), /handleStoreOrders must return a Response .* a body that has not been read/);
      }
    }
  }
  await reader.cancel();
});

test("a HEAD gives up the body of the app's store orders, so that whoever makes it can stop", async () => {
  let cancelled = false;
  const handleStoreOrders = () => new Response(new ReadableStream({ cancel: () => void (cancelled = true) }));
  const { handle } = createPetstore({ keys: ["k"], handleStoreOrders });
  const headers = { authorization: "Bearer k" };
  const answer = await handle(new Request("http://x/v1/store/orders", { method: "HEAD", headers }));
  assert.deepEqual([answer.status, answer.body, cancelled], [200, null, true]);
});

test("a page whose next is a getter, or its class's, has a next page", async () => {
  class Page {
    readonly json = '[{"id":1,"name":"Rex","categoryId":7,"status":"sold"}]';
    get next() {
      return 1n;
    }
  }
  const own = {
    json: new Page().json,
    get next() {
      return 1n;
    },
  };
  for (const page of [new Page(), Object.create(new Page()), own, Object.assign(Object.create(null), own)]) {
    const store = { ...createMemoryStoreMethods(), list: () => page };
    const { handle } = createPetstore({ keys: ["k"], store });
    const answer = await handle(new Request("http://x/v1/pets?limit=1", { headers: { authorization: "Bearer k" } }));
    assert.match(answer.headers.get("link") ?? "", /cursor=YWZ0ZXI6MQ>; rel="next"$/);
  }
});

/** A store of an app's own, as a plain object. */
function createMemoryStoreMethods(): PetStore {
  const store = createMemoryStore();
  return {
    create: (pet) => store.create(pet),
    get: (id) => store.get(id),
    list: (query) => store.list(query),
    check: () => store.check(),
    close: () => store.close(),
  };
}

test("createOpenApi() describes what the options make of the service", () => {
  const custom = createOpenApi({
    basePath: "/api/v1",
    servers: [{ url: "https://pets.example/api/v1", description: "Production" }],
    maxBodyBytes: 5,
    defaultStatus: "sold",
    handleStoreOrders: () => new Response(),
  });
  assert.deepEqual(custom["servers"], [{ url: "https://pets.example/api/v1", description: "Production" }]);
  assert.match(JSON.stringify(custom), /at most 5 bytes/);
  assert.match(JSON.stringify(custom["components"]), /"default":"sold"/);
  assert.doesNotMatch(JSON.stringify(custom["paths"]), /not_implemented/);
  assert.deepEqual(createOpenApi({ basePath: "/api" })["servers"], [{ url: "/api" }]);
  assert.deepEqual(createOpenApi({ basePath: "" })["servers"], [{ url: "/" }]);
  for (const publicBaseUrl of ["https://api.example/v1", "/store/v1"]) {
    assert.deepEqual(createOpenApi({ basePath: "", publicBaseUrl })["servers"], [{ url: publicBaseUrl }]);
  }
  assert.deepEqual(createOpenApi(JSON.parse("{}")), createOpenApi({}));
  const wrong = [{ basePath: "api" }, { defaultStatus: "lost" }, { basepath: "/" }, { servers: "x" }, {
    servers: ["x"],
  }];
  for (const options of wrong) assert.throws(() => createOpenApi(options as unknown as OpenApiOptions), TypeError);
});

test("the description names what the specification names", () => {
  const description = createOpenApi();
  const paths = description["paths"] as Record<string, Record<string, JsonObject>>;
  const { get, post } = paths["/pets"] ?? {};
  const one = paths["/pets/{petId}"]?.["get"];
  assert.deepEqual([get, post, one].map((operation) => operation?.["operationId"]), [
    "listPets",
    "createPet",
    "getPet",
  ]);
  for (const operation of [get, post, one]) assert.deepEqual(operation?.["tags"], ["animals"]);
  assert.deepEqual([one?.["deprecated"], one?.["x-deprecated-sunset"]], [true, "2030-12-05"]);
  assert.equal((description["info"] as JsonObject)["version"], "1.0.0");
  assert.deepEqual((description["x-tagGroups"] as JsonObject[]).map(({ name }) => name), ["Pets", "Store"]);
  assert.deepEqual(description["security"], [{ bearer: [] }]);
});
