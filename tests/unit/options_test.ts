/**
 * Options that createPetstore() refuses, and their effects. keys_test.ts has `keys`, tests/security
 * base paths and origins.
 */

import assert from "node:assert/strict";
import test from "node:test";
import { createMemoryStore, createPetstore, type PetstoreOptions } from "../../mod.ts";
import { KEY, petRequest } from "../support/pet_requests.ts";
import { whileReplaced } from "../support/while_replaced.ts";

/**
 * Wrong options, as a caller without types can give them, and the error. Options of one kind have
 * one check, so each kind is here once.
 */
const REFUSED: [options: unknown, error: RegExp][] = [
  [undefined, /^TypeError: .*options must be an object of keys, store, basePath, .*, not undefined$/],
  [{ basepath: "/v1" }, /^TypeError: Unknown option basepath; the options are keys, store, basePath/],
  [
    { store: Promise.resolve() },
    /^TypeError: Option store must be a PetStore .*, with create\(\), not \[object Promise\]$/,
  ],
  [{ publicBaseUrl: "https://a:b@a.example" }, /^TypeError: .*publicBaseUrl must be an/],
  [{ defaultStatus: "lost" }, /^TypeError: .*one of available, pending, sold, not "lost"$/],
  [{ maxBodyBytes: 2 ** 26 + 1 }, /^RangeError: .*must be a whole number from 1 to 67108864, not 67108865$/],
  [{ onResponse: 1 }, /^TypeError: .*onResponse must be a function/],
  [{ deprecation: { sunset: new Date(8.64e15) } }, /^TypeError: .*sunset must be a Date from the year 0 to 9999/],
  [{ deprecation: { since: new Date("2030-12-06") } }, /^RangeError: .*deprecation.sunset must be at 2030-12-06T00:00/],
];

test("createPetstore() throws an error of one line for each wrong option, and shows no key", () => {
  for (const [options, message] of REFUSED) {
    const given = options && { keys: ["secret"], ...options };
    assert.throws(() => createPetstore(given as never), (error: Error) => {
      assert.match(String(error), message);
      return !error.message.includes("secret") && !error.message.includes("\n");
    });
  }
});

/** The response of a petstore with these options to a request with its key. */
async function ask(options: Partial<PetstoreOptions>, path = "/v1/store/orders", init: RequestInit = {}) {
  return await createPetstore({ keys: [KEY], ...options }).handle(petRequest(path, init));
}

const SINCE = new Date("2027-01-02");
const SUNSET = new Date("2028-03-04");

test("an app has its own days of deprecation and its own successor, or no deprecation", async () => {
  const fieldsOf = async (deprecation: PetstoreOptions["deprecation"]) => {
    const { headers } = await ask({ deprecation: deprecation!, basePath: "/api" }, "/api/pets/1");
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
  const statusOf = async () => (await handle(petRequest("/v1/pets/1"))).status;
  await whileReplaced(Date, { now: () => +SUNSET - 1 }, async () => {
    for (let i = 0; i < 3; i++) assert.equal(await statusOf(), 200);
    Date.now = () => +SUNSET;
    assert.equal(await statusOf(), 410);
  });
});

test("without onError, an unexpected error is shown on the console", async () => {
  const shown: unknown[] = [];
  const failure = new Error("The app's own");
  const error = (cause: unknown) => shown.push(cause);
  await whileReplaced(console, { error }, () => ask({ handleStoreOrders: () => Promise.reject(failure) }));
  assert.deepEqual(shown, [failure]);
});
