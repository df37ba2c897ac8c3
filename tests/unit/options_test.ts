/** Options that createPetstore() and createOpenApi() refuse, and their effects. keys_test.ts has those of `keys`. */

import type { ErrorInfo } from "../../mod.ts";
import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "../../lib/json_types.ts";
import { createOpenApi, type OpenApiOptions } from "../../lib/openapi/openapi.ts";
import { createMemoryStore, createPetstore, type Petstore, type PetstoreOptions } from "../../mod.ts";
import { openApiOf } from "../support/descriptions.ts";

/** Wrong options, as a caller without types can give them, and the message. */
const REFUSED: [what: string, options: unknown, message: RegExp][] = [
  ["no options", undefined, /needs options, such as \{ keys: \[key\] \}/],
  ["null", null, /needs options/],
  ["no keys", {}, /Option keys must be API keys, such as/],
  ["an empty list of keys", { keys: [] }, /Option keys must be API keys/],
  ["a key with a space", { keys: ["secret key"] }, /no space or comma/],
  ["a digest that is not hexadecimal", { keys: ["sha256:abc"] }, /sha256: and 64 hexadecimal digits/],
  [
    "an unknown option",
    { keys: ["k"], basepath: "/v1" },
    /Unknown option basepath; the options are keys, store, basePath/,
  ],
  ["a store without methods", { keys: ["k"], store: {} }, /Option store must be a PetStore.*create\(\)/],
  [
    "a promise of a store",
    { keys: ["k"], store: Promise.resolve() },
    /Option store must be .* await it first/,
  ],
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
  ["a public address that is not a string", { keys: ["k"], publicBaseUrl: 1 }, /publicBaseUrl/],
  ["a base path that is not a string", { keys: ["k"], basePath: 1 }, /basePath/],
  ["an unknown default status", { keys: ["k"], defaultStatus: "lost" }, /one of available, pending, sold, not "lost"/],
  ["a limit of no bytes", { keys: ["k"], maxBodyBytes: 0 }, /maxBodyBytes must be a whole number from 1/],
  ["a limit of half a byte", { keys: ["k"], maxBodyBytes: 1.5 }, /maxBodyBytes/],
  [
    "a time that is not a number",
    { keys: ["k"], bodyTimeoutMs: "10" },
    /bodyTimeoutMs must be a whole number.*not "10"/,
  ],
  ["an endless time", { keys: ["k"], bodyTimeoutMs: Infinity }, /bodyTimeoutMs/],
  [
    "requestIds that do not exist",
    { keys: ["k"], requestIds: "some" },
    /requestIds must be one of all, failures, none/,
  ],
  ["an onResponse that is not a function", { keys: ["k"], onResponse: 1 }, /onResponse must be a function/],
  ["an empty text as rate limit", { keys: ["k"], rateLimit: "" }, /rateLimit must be an object/],
  ["null as rate limit", { keys: ["k"], rateLimit: null }, /rateLimit must be an object/],
  ["false as cors", { keys: ["k"], cors: false }, /cors must be an object/],
  ["a rate limit that is a number", { keys: ["k"], rateLimit: 5 }, /rateLimit must be an object, such as/],
  ["a rate limit of none", { keys: ["k"], rateLimit: { requests: 0, windowMs: 1 } }, /rateLimit.requests must be/],
  ["a rate limit without time", { keys: ["k"], rateLimit: { requests: 1 } }, /rateLimit.windowMs must be/],
  [
    "an unknown member of the rate limit",
    { keys: ["k"], rateLimit: { requests: 1, windowMs: 1, burst: 5 } },
    /Unknown member burst of option rateLimit/,
  ],
  [
    "a client header with a colon",
    { keys: ["k"], rateLimit: { requests: 1, windowMs: 1, clientHeader: "a:" } },
    /clientHeader must be the name of a header/,
  ],
  ["no origins", { keys: ["k"], cors: { origins: [] } }, /cors.origins must be a list with at least one origin/],
  [
    "an origin with a path",
    { keys: ["k"], cors: { origins: ["https://a.example/"] } },
    /^CORS origin "https:\/\/a.example\/" must be an origin such as "https:\/\/app.example"$/,
  ],
  ["the origin null", { keys: ["k"], cors: { origins: ["null"] } }, /CORS origin "null"/],
  ["* among others", { keys: ["k"], cors: { origins: ["*", "https://a.example"] } }, /CORS origin "\*"/],
  [
    "an unknown member of cors",
    { keys: ["k"], cors: { origins: ["*"], credentials: true } },
    /^Unknown member credentials of option cors$/,
  ],
  [
    "a handleStoreOrders that is not a function",
    { keys: ["k"], handleStoreOrders: {} },
    /handleStoreOrders must be a function/,
  ],
  ["an onError that is not a function", { keys: ["k"], onError: true }, /onError must be a function, not true/],
];

for (const [what, options, message] of REFUSED) {
  test(`createPetstore() throws an error of one line for ${what}, and shows no key`, () => {
    assert.throws(() => createPetstore(options as PetstoreOptions), (error: Error) => {
      // A number that is out of range has the right type.
      const isOutOfRange = /must be a whole number .*, not -?[\d.]+(e\+\d+)?$|not Infinity$/.test(error.message);
      assert.equal(error.constructor, isOutOfRange ? RangeError : TypeError);
      assert.match(error.message, message);
      assert.ok(!error.message.includes("secret") && !error.message.includes("\n"));
      return true;
    });
  });
}

async function countPets({ handle }: ReturnType<typeof createPetstore>, key: string): Promise<number> {
  const response = await handle(new Request("http://x/v1/pets", { headers: { authorization: `Bearer ${key}` } }));
  return response.status === 200 ? (await response.json()).length : -1;
}

test("two petstores in one process share neither pets nor keys", async () => {
  const [first, second] = [createPetstore({ keys: ["one"] }), createPetstore({ keys: ["two"] })];
  // handle() works without its object.
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
    const response = await handle(
      new Request(`http://x${basePath}/pets/1`, { headers: { authorization: "Bearer k" } }),
    );
    assert.equal(response.status, 200);
  }
});

test("a body that was read before gets 500, and only onError learns why", async () => {
  const told: unknown[] = [];
  const { handle } = createPetstore({ keys: ["k"], onError: ({ error }) => told.push(error) });
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

test("handle() answers 500 if handleStoreOrders returns no usable Response", async () => {
  for (const bad of [undefined, {}, Response.error()]) {
    const handleStoreOrders = () => bad as Response;
    const { handle } = createPetstore({ keys: ["k"], cors: { origins: ["*"] }, handleStoreOrders, onError: () => {} });
    const response = await handle(new Request("http://x/v1/store/orders", { headers: { authorization: "Bearer k" } }));
    assert.equal(response.status, 500);
  }
});

test("handle() answers 500 if handleStoreOrders returns a used body, and onError learns why", async () => {
  const locked = new Response("[]");
  const reader = locked.body!.getReader();
  const used = new Response("[]");
  await used.text();
  for (const cors of [{}, { cors: { origins: ["*"] } }]) {
    for (const method of ["GET", "HEAD"]) {
      for (const unusable of [locked, used]) {
        const told: unknown[] = [];
        const onError = ({ error }: ErrorInfo) => told.push(error);
        const { handle } = createPetstore({ keys: ["k"], ...cors, handleStoreOrders: () => unusable, onError });
        const headers = { authorization: "Bearer k" };
        const response = await handle(new Request("http://x/v1/store/orders", { method, headers }));
        assert.equal(response.status, 500);
        assert.match(String(told), /handleStoreOrders must return a Response .* an unread body/);
      }
    }
  }
  await reader.cancel();
});

test("a HEAD request cancels the body that handleStoreOrders returns", async () => {
  let cancelled = false;
  const handleStoreOrders = () => new Response(new ReadableStream({ cancel: () => void (cancelled = true) }));
  const { handle } = createPetstore({ keys: ["k"], handleStoreOrders });
  const headers = { authorization: "Bearer k" };
  const response = await handle(new Request("http://x/v1/store/orders", { method: "HEAD", headers }));
  assert.deepEqual([response.status, response.body, cancelled], [200, null, true]);
});

test("a page of a store may have next as a getter, of its own or inherited", async () => {
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
    const store = Object.assign(createMemoryStore(), { list: () => page });
    const { handle } = createPetstore({ keys: ["k"], store });
    const response = await handle(new Request("http://x/v1/pets?limit=1", { headers: { authorization: "Bearer k" } }));
    assert.match(response.headers.get("link") ?? "", /cursor=YWZ0ZXI6MQ>; rel="next"$/);
  }
});

test("createOpenApi() describes the effects of the options", () => {
  const petstore = createPetstore({
    keys: ["k"],
    basePath: "/api/v1",
    maxBodyBytes: 5,
    defaultStatus: "sold",
    handleStoreOrders: () => new Response(),
  });
  const servers = [{ url: "https://pets.example/api/v1", description: "Production" }];
  const custom = createOpenApi(petstore, { servers });
  assert.deepEqual(custom["servers"], servers);
  assert.match(JSON.stringify(custom), /at most 5 bytes/);
  assert.match(JSON.stringify(custom["components"]), /"default":"sold"/);
  assert.doesNotMatch(JSON.stringify((custom["paths"] as JsonObject)["/store/orders"]), /not_implemented/);
  assert.deepEqual(openApiOf({ basePath: "/api" })["servers"], [{ url: "/api" }]);
  assert.deepEqual(openApiOf({ basePath: "" })["servers"], [{ url: "/" }]);
  for (const publicBaseUrl of ["https://api.example/v1", "/store/v1"]) {
    assert.deepEqual(openApiOf({ basePath: "", publicBaseUrl })["servers"], [{ url: publicBaseUrl }]);
  }
  for (const options of [{ basePath: "/" }, { servers: "x" }, { servers: ["x"] }]) {
    assert.throws(() => createOpenApi(petstore, options as unknown as OpenApiOptions), TypeError);
  }
});

test("createOpenApi() takes a petstore and nothing else, for example no handle that an app has wrapped", () => {
  const petstore = createPetstore({ keys: ["k"] });
  assert.equal(createOpenApi(petstore)["openapi"], "3.1.0");
  const { handle } = petstore;
  const others = [undefined, {}, { basePath: "/v1" }, { handle }, { handle: (request: Request) => handle(request) }];
  for (const other of others) {
    assert.throws(() => createOpenApi(other as Petstore), /what createPetstore\(\) has returned/);
  }
});

test("the description has the names of the specification", () => {
  const description = openApiOf();
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
