/** Prototypes: requests cannot pollute them, and polluted ones do not change responses. */

import type { ErrorInfo } from "../../mod.ts";
import assert from "node:assert/strict";
import test from "node:test";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { createPetstore, createRateLimit } from "../../mod.ts";
import type { PetStore } from "../../lib/stores/store.ts";
import { createOpenApi } from "../../lib/openapi/openapi.ts";
import { IN_PROCESS, KEY, withApi } from "../support/api.ts";
import { whilePolluted } from "../support/polluted.ts";

const NAMES = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "valueOf", "__defineGetter__"];

/** The properties of the shared prototypes. */
function inherited(): string[] {
  return [Object.prototype, Array.prototype, String.prototype, Function.prototype, Headers.prototype].flatMap((
    object,
  ) => Object.entries(Object.getOwnPropertyDescriptors(object)).map(([name, { writable }]) => `${name} ${writable}`));
}

test("no name in a body, a query, a path or a header changes a shared prototype", () =>
  withApi(IN_PROCESS, {}, async (api) => {
    const before = inherited();
    for (const name of NAMES) {
      const members = [
        ...[`"${name}":{"polluted":1,"status":"sold"}`, `"${name}":{"prototype":{"polluted":1}}`, `"${name}":null`],
        ...[`"${name}":{"name":"inherited","categoryId":9}`, `"a":{"${name}":{"polluted":1}}`],
      ];
      for (const member of members) {
        const created = await api.post(`{${member},"name":"Rex","categoryId":7}`);
        assert.deepEqual([created.status, created.pet.name, created.pet.status], [201, "Rex", "available"]);
        // Inherited members do not count.
        assert.equal((await api.post(`{${member}}`)).error.code, "invalid_pet");
      }
      assert.equal((await api.post(`{"name":"Rex","categoryId":7,"status":"${name}"}`)).status, 400);
      assert.equal((await api.get(`/pets?${name}=1&${name}[polluted]=1&${name}.polluted=1&limit=1`)).status, 200);
      assert.equal((await api.get(`/pets?status=${name}`)).error.code, "invalid_status");
      assert.equal((await api.get(`/${name}`)).error.code, "route_not_found");
      assert.equal((await api.get(`/pets/${name}`)).error.code, "pet_not_found");
      // Bun replaces unknown methods with GET.
      const { method } = new Request("http://petstore.test", { method: name });
      if (method === name) assert.equal((await api.send(name, "/pets")).error.code, "method_not_allowed");
      assert.equal((await api.get("/pets", { headers: { [name]: "polluted" } })).status, 200);
      assert.equal((await api.get("/pets", { key: name })).error.code, "invalid_api_key");
    }
    assert.deepEqual(inherited(), before);
    assert.equal(Reflect.get({}, "polluted"), undefined);
  }));

const AUTHORIZED = { authorization: `Bearer ${KEY}` };

function ask(method: string, path: string, body?: string, headers: Record<string, string> = AUTHORIZED): Request {
  const url = `http://petstore.test/v1${path}`;
  if (body === undefined) return new Request(url, { method, headers });
  return new Request(url, { method, headers: { ...headers, "content-type": "application/json" }, body });
}

/** A request for each kind of response. Pollution breaks the constructors of some runtimes, so they are made before it. */
function createRequests(): Request[] {
  return [
    ...["sold", "available", "pending"].map((status) =>
      ask("POST", "/pets", `{"name":"a","categoryId":1,"status":"${status}"}`)
    ),
    ask("POST", "/pets", '{"name":"a","categoryId":1}'),
    ...["{}", "[]", '{"name":1}', "{"].map((body) => ask("POST", "/pets", body)),
    ...["/pets", "/pets?limit=2", "/pets?status=sold", "/pets?limit=0", "/pets?a=1", "/pets/1", "/pets/99", "/pets/x"]
      .map((path) => ask("GET", path)),
    ...["/nowhere", "/store/orders"].map((path) => ask("GET", path)),
    ...["HEAD", "OPTIONS", "PUT"].map((method) => ask(method, "/pets/1")),
    ask("GET", "/pets", undefined, {}),
    ask("GET", "/pets", undefined, { authorization: "Bearer wrong" }),
  ];
}

/** The responses to all requests while every object has further members, as after a bug of another library. */
async function responses(store: PetStore | undefined, polluted: Record<string, unknown>): Promise<string[]> {
  const requests = createRequests();
  const errors: unknown[] = [];
  const options = { keys: [KEY], onError: ({ error }: ErrorInfo) => errors.push(error), ...(store && { store }) };
  const given = await whilePolluted(polluted, async () => {
    const { handle } = createPetstore(options);
    const given: string[] = [];
    for (const request of requests) {
      const response = await handle(request);
      given.push([response.status, ...[...response.headers].map(String), await response.text()].join("\n"));
    }
    return given;
  });
  assert.deepEqual(errors, []);
  return given;
}

const LIMIT = { requests: 1, windowMs: 60_000 };

const RESPONSE = { status: 200, headers: [], body: "polluted" };

/** Members that the library reads, and options. */
const MEMBERS: Record<string, unknown> = {
  ...{ polluted: true, name: "Eve", categoryId: 7, id: 7n, status: "sold", limit: 1, after: 1n, cursor: "YWZ0ZXI6Mg" },
  ...{ json: "[]", next: 1n, parameter: "1", etag: '"evil"', validUntil: "alteration", code: "evil", message: "evil" },
  ...{
    key: KEY,
    valid: true,
    authorization: `Bearer ${KEY}`,
    origins: ["*"],
    methods: {},
    access: "public",
    effect: "reads",
    value: "x",
  },
  ...{ GET: () => RESPONSE, PUT: () => RESPONSE, DELETE: () => RESPONSE, guard: () => RESPONSE, operations: [{}] },
  ...{ deprecation: false, stability: { getPet: "beta" }, isDeprecated: true, gone: true },
  ...{ limits: {}, now: 5, fields: { "x-evil": "1" }, pipeline: {} },
  ...{ path: "/v1/pets", additions: 0, alterations: 0, fault: "given more than once", headers: [["x-evil", "1"]] },
  ...{
    rateLimit: createRateLimit(LIMIT),
    limiter: () => () => "evil",
    requestIds: "all",
    publicBaseUrl: "https://evil.example",
  },
  ...{ observe: () => assert.fail("called"), onResponse: () => assert.fail("called"), cors: { origins: ["*"] } },
  ...{ handleStoreOrders: () => new Response("polluted"), basePath: "/evil", defaultStatus: "sold" },
  ...{ maxBodyBytes: 1, bodyTimeoutMs: 1 },
};

test("polluting Object.prototype does not change a response, and sets no option", async () => {
  for (const create of [() => undefined, () => createSqliteStore(":memory:")]) {
    const plain = await responses(create(), {});
    assert.equal(new Set(plain).size > 15, true);
    for (const [name, value] of Object.entries(MEMBERS)) {
      assert.deepEqual(await responses(create(), { [name]: value }), plain, `${name}: ${String(value)}`);
    }
  }
});

test("polluting Object.prototype sets no member of a rate limit", async () => {
  const requests = [1, 2].map(() => ask("GET", "/pets", undefined, { ...AUTHORIZED, "x-evil": "1.2.3.4" }));
  const statuses = await whilePolluted({ clientHeader: "x-evil", now: () => 5, limits: {} }, () => {
    const { handle } = createPetstore({ keys: [KEY], rateLimit: createRateLimit(LIMIT) });
    return Promise.all(requests.map(async (request) => (await handle(request)).status));
  });
  assert.deepEqual(statuses, [200, 429]);
});

test("polluting Object.prototype does not change the description", async () => {
  const describe = () =>
    JSON.stringify(createOpenApi(createPetstore({ keys: [KEY], rateLimit: createRateLimit(LIMIT) })));
  const plain = describe();
  for (
    const name of ["access", "isDeprecated", "deprecation", "stability", "listPets", "servers", "response", "isEarly"]
  ) {
    assert.equal(await whilePolluted({ [name]: "public" }, describe), plain, name);
  }
});
