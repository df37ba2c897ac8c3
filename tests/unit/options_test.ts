/** Options that createPetstore() and createOpenApi() refuse, and their effects. The HTTP contract has those of `keys`. */

import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "../../lib/operations/json_types.ts";
import { createOpenApi } from "../../lib/openapi/openapi.ts";
import { createMemoryStore, createPetstore, type PetstoreOptions } from "../../mod.ts";
import { openApiOf } from "../support/descriptions.ts";
import { KEY, petRequest, REX } from "../support/pet_requests.ts";
import { whileReplaced } from "../support/while_replaced.ts";

/**
 * Wrong options beside the keys, as a caller without types can give them, and the message. Options of one kind have one check, so each kind
 * is here once. tests/security has base paths and origins.
 */
const REFUSED: [options: unknown, message: RegExp][] = [
  [{ basepath: "/v1" }, /Unknown option basepath; the options are keys, store, basePath/],
  [{ store: Promise.resolve() }, /Option store must be a PetStore with create\(\), .*, not \[object Promise\]$/],
  [{ basePath: "v1" }, /Option basePath must be a path such as "\/v1".*not "v1"/],
  [{ publicBaseUrl: "ftp://a.example" }, /publicBaseUrl must be an/],
  [{ publicBaseUrl: "https://a:b@a.example" }, /publicBaseUrl/],
  [{ defaultStatus: "lost" }, /one of available, pending, sold, not "lost"/],
  [{ maxBodyBytes: 2 ** 31 }, /maxBodyBytes must be a whole number from 1 to 2147483647, not 2147483648/],
  [{ bodyTimeoutMs: "10" }, /bodyTimeoutMs must be a whole number.*not "10"/],
  [{ bodyTimeoutMs: Infinity }, /bodyTimeoutMs/],
  [{ requestIds: "some" }, /requestIds must be one of all, failures, none/],
  [{ onResponse: 1 }, /onResponse must be a function/],
  [{ cors: false }, /cors must be an object of origins, not false/],
  [{ cors: { origins: ["https://a.example/"] } }, /^Option cors.origins must be .*, not https:\/\/a.example\/$/],
  [{ cors: { origins: ["*"], credentials: true } }, /^Unknown option cors.credentials; the options are origins$/],
  [{ deprecation: true }, /must be an object of since, sunset, successor, gone, not/],
  [{ deprecation: { sunset: new Date("-000001-12-31") } }, /deprecation.sunset must be a Date from the year 0 to 9999/],
  [{ deprecation: { successor: "pets" } }, /deprecation.successor must be an address such as .*, or a path, not/],
  [
    { deprecation: { since: new Date("2030-01-02"), sunset: new Date("2030-01-01") } },
    /deprecation.sunset must be at 2030-01-02T00:00:00.000Z or later, as since is, not "2030-01-01/,
  ],
  [{ stability: { listPets: "stable" } }, /stability.listPets must be one of experimental, alpha, beta, not/],
];

/** The response of a petstore with these options to a request with its key. */
async function ask(options: Partial<PetstoreOptions>, path = "/v1/store/orders", init: RequestInit = {}) {
  return await createPetstore({ keys: [KEY], ...options }).handle(petRequest(path, init));
}

test("createPetstore() throws an error of one line for each wrong option, and shows no key", () => {
  for (const options of [undefined, null]) {
    assert.throws(
      () => createPetstore(options as never),
      /options must be an object of keys, store, basePath, .*, not (undefined|null)$/,
    );
  }
  for (const [options, message] of REFUSED) {
    assert.throws(() => createPetstore({ keys: ["secret"], ...options as object }), (error: Error) => {
      // A number that is out of range has the right type, and so has a day that is before another one.
      const isOutOfRange = /must be a whole number .*, not -?[\d.]+(e\+\d+)?$|not Infinity$|or later/.test(
        error.message,
      );
      assert.equal(error.constructor, isOutOfRange ? RangeError : TypeError);
      assert.match(error.message, message);
      assert.ok(!error.message.includes("secret") && !error.message.includes("\n"));
      return true;
    });
  }
});

const TAKEN: [options: Partial<PetstoreOptions>, path: string, location: string][] = [
  [{ basePath: "/.api/..v1" }, "/.api/..v1/pets", "/.api/..v1/pets/1"],
  [{ publicBaseUrl: "https://a.example" }, "/v1/pets", "https://a.example/pets/1"],
  [{ publicBaseUrl: "/" }, "/v1/pets", "/pets/1"],
  [{ maxBodyBytes: 2 ** 31 - 1 }, "/v1/pets", "/v1/pets/1"],
];

test("createPetstore() takes a base path without a name, a public address with a slash at its end, and the like", async () => {
  const init = { method: "POST", body: REX };
  for (const [options, path, location] of TAKEN) {
    assert.equal((await ask(options, path, init)).headers.get("location"), location);
  }
});

const SINCE = new Date("2027-01-02"), SUNSET = new Date("2028-03-04");

test("an app has its own days of deprecation and its own successor, or no deprecation", async () => {
  const fieldsOf = async (deprecation: PetstoreOptions["deprecation"]) => {
    const { headers } = await ask(
      { deprecation: deprecation!, basePath: "/api", store: createMemoryStore() },
      "/api/pets/1",
    );
    return ["deprecation", "sunset", "link"].map((name) => headers.get(name));
  };
  const days = ["@1798848000", "Sat, 04 Mar 2028 00:00:00 GMT"];
  const own = { since: new Date(+SINCE + 999), sunset: SUNSET };
  assert.deepEqual(await fieldsOf(own), [...days, '</api/pets>; rel="successor-version"']);
  const [, , elsewhere] = await fieldsOf({ ...own, successor: "https://a.example/v2/pets" });
  assert.equal(elsewhere, '<https://a.example/v2/pets>; rel="successor-version"');
  assert.deepEqual(await fieldsOf(false), [null, null, null]);
});

test("with gone, the deprecated operation ends on its day, also for a pet that is asked for again and again", async () => {
  const store = createMemoryStore();
  await store.create({ name: "Rex", categoryId: 7n, status: "sold" });
  const { handle } = createPetstore({ keys: [KEY], store, deprecation: { since: SINCE, sunset: SUNSET, gone: true } });
  const statusOf = async (path: string) => (await handle(petRequest(`/v1${path}`))).status;
  await whileReplaced(Date, { now: () => +SUNSET - 1 }, async () => {
    for (let i = 0; i < 4; i++) assert.equal(await statusOf("/pets/1"), 200);
    Date.now = () => +SUNSET;
    for (const path of ["/pets/1", "/pets/2"]) assert.equal(await statusOf(path), 410);
    assert.equal(await statusOf("/pets"), 200);
  });
});

test("without onError, an unexpected error is shown on the console", async () => {
  const shown: unknown[] = [], failure = new Error("The app's own");
  const error = (cause: unknown) => shown.push(cause);
  await whileReplaced(console, { error }, () => ask({ handleStoreOrders: () => Promise.reject(failure) }));
  assert.deepEqual(shown, [failure]);
});

test("a body that handleStoreOrders returns is cancelled if HEAD asks, or if a member of its Response throws", async () => {
  for (const [method, status] of [["HEAD", 200], ["GET", 500]] as const) {
    const cancelled = Promise.withResolvers<void>();
    const orders = new Response(new ReadableStream({ cancel: () => cancelled.resolve() }));
    if (method === "GET") Object.defineProperty(orders, "status", { get: () => assert.fail("no status") });
    const options = { handleStoreOrders: () => orders, onError: () => {} };
    const response = await ask(options, undefined, { method });
    // Bun reads no member of the app's own.
    if (method === "GET" && "Bun" in globalThis) return;
    assert.equal(response.status, status);
    // On Node, this takes a second.
    await cancelled.promise;
  }
});

test("createOpenApi() describes the effects of the options", () => {
  const handleStoreOrders = () => new Response();
  const described = openApiOf({ basePath: "", maxBodyBytes: 5, defaultStatus: "sold", handleStoreOrders });
  assert.deepEqual(described["servers"], [{ url: "/" }]);
  assert.match(JSON.stringify(described), /at most 5 bytes/);
  assert.match(JSON.stringify(described["components"]), /Default: `sold`\./);
  assert.doesNotMatch(JSON.stringify((described["paths"] as JsonObject)["/store/orders"]), /not_implemented/);
  const publicBaseUrl = "/store/v1";
  assert.deepEqual(openApiOf({ basePath: "", publicBaseUrl })["servers"], [{ url: publicBaseUrl }]);
  for (const options of [{ basePath: "/" }, { servers: "x" }, { servers: ["x"] }]) {
    assert.throws(() => createOpenApi(createPetstore({ keys: [KEY] }), options as never), TypeError);
  }
});

test("createOpenApi() takes a petstore and nothing else, for example no handle that an app has wrapped", () => {
  const petstore = createPetstore({ keys: [KEY] });
  assert.equal(createOpenApi(petstore)["openapi"], "3.1.0");
  const { handle } = petstore;
  assert.equal(createOpenApi({ ...petstore })["openapi"], "3.1.0");
  const others = [undefined, {}, { basePath: "/v1" }, { handle: (request: Request) => handle(request) }];
  for (const other of others) {
    assert.throws(() => createOpenApi(other as never), /what createPetstore\(\) has returned/);
  }
});
