/** What createClient() and its calls take, and runtimes that lack something. */

import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "../mod.ts";
import { failed, inProcess, KEY } from "./support.ts";
import { whileReplaced } from "../../../tests/support/while_replaced.ts";

test("a value that is no bigint, and a name that is no text, is refused before anything is sent", async () => {
  const { pets, requests } = inProcess();
  for (const value of [7, "7", '7,"id":1', undefined, null]) {
    const wrong = value as unknown as bigint;
    await assert.rejects(
      pets.create({ name: "Rex", categoryId: wrong }),
      /^TypeError: categoryId must be a bigint such as 7n$/,
    );
    await assert.rejects(pets.get(wrong), /^TypeError: id must be a bigint/);
  }
  for (const name of [undefined, null, 7]) {
    await assert.rejects(pets.create({ name: name as unknown as string, categoryId: 7n }), /^TypeError: name must be/);
  }
  await assert.rejects(
    pets.create({ name: "Rex", categoryId: 7n }, { idempotencyKey: "a\r\nb: c" }),
    /^TypeError: Option idempotencyKey must be/,
  );
  assert.deepEqual(requests, []);
});

test("createClient() refuses options that are missing, unknown or wrong, and quotes no key", () => {
  const valid = { baseUrl: "http://localhost/v1", key: KEY };
  const keys = ["pk secret", "secret\n", "secret\0", "sécret", "Bearer pk_secret", null];
  const addresses = [
    "",
    "pets.example",
    "/v1",
    "ftp://http.example/v1",
    "data:,x",
    "http://u:p@h/v1",
    "http://h/v1?a",
    "http://h/#a",
  ];
  const wrong: [Record<string, unknown>, ErrorConstructor, RegExp][] = [
    ...keys.map((key): typeof wrong[0] => [{ key }, TypeError, /^Option key must be visible ASCII .* without spaces$/]),
    ...["", undefined].map((key): typeof wrong[0] => [{ key }, TypeError, /^Option key is missing or empty$/]),
    ...addresses.map((baseUrl): typeof wrong[0] => [{ baseUrl }, TypeError, /^Option baseUrl must be an address/]),
    [{ fetch: "x" }, TypeError, /^Option fetch must be a function$/],
    [{ onDeprecation: 7 }, TypeError, /^Option onDeprecation must be a function$/],
    [{ timeoutMs: "9" }, TypeError, /^Option timeoutMs must be a number$/],
    [{ timeoutMs: 2 ** 31 }, RangeError, /^Option timeoutMs must be from 1 to 2147483647/],
    [{ timeoutMs: NaN }, RangeError, /timeoutMs/],
    [{ maxRetries: -1 }, RangeError, /maxRetries/],
    [
      { baseURL: "http://localhost/v1" },
      TypeError,
      /^Unknown option baseURL; the options are baseUrl, key, fetch, timeoutMs, maxRetries, onDeprecation$/,
    ],
  ];
  for (const [options, type, message] of wrong) {
    assert.throws(() => createClient({ ...valid, ...options }), (error: Error) => {
      return error.constructor === type && message.test(error.message);
    }, JSON.stringify(options));
  }
});

test("a misspelt option of a call is refused, and nothing is sent", async () => {
  const { pets, requests } = inProcess();
  const wrong = { idempotencykey: "a", offset: 3 } as Record<string, unknown>;
  const calls: (() => Promise<unknown>)[] = [
    () => pets.create({ name: "Rex", categoryId: 7n }, wrong),
    () => pets.get(1n, wrong),
    () => pets.page(wrong),
    () => pets.list(wrong).toArray(),
  ];
  for (const call of calls) {
    await assert.rejects(call, { name: "TypeError", message: /^Unknown option idempotencykey;/ });
  }
  assert.deepEqual(requests, []);
});

test("baseUrl may have a slash at its end, or be a URL, and an option that is undefined is as one that is not given", async () => {
  for (const baseUrl of ["http://localhost/v1/", new URL("http://localhost/v1")]) {
    const more = { baseUrl, timeoutMs: undefined, maxRetries: undefined, onDeprecation: undefined };
    const { pets, requests } = inProcess({}, more);
    await pets.create({ name: "Rex", categoryId: 7n, status: undefined }, { idempotencyKey: undefined });
    await pets.list({ status: undefined, limit: undefined, signal: undefined }).toArray();
    assert.deepEqual(requests.map(({ url }) => url), Array(2).fill("http://localhost/v1/pets"));
  }
});

/** Removes what an older runtime does not have. */
async function without<T extends object>(owner: T, name: keyof T, use: () => Promise<unknown>) {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name)!;
  Reflect.deleteProperty(owner, name);
  try {
    await use();
  } finally {
    Object.defineProperty(owner, name, descriptor);
  }
}

test("a browser without URL.canParse() and URLSearchParams.size lists the same", () =>
  without(URL, "canParse", () =>
    without(URLSearchParams.prototype, "size", async () => {
      const { pets, requests } = inProcess();
      for (let i = 0; i < 2; i++) await pets.create({ name: "Rex", categoryId: 7n, status: "sold" });
      requests.length = 0;
      assert.equal((await Array.fromAsync(pets.list({ status: "sold", limit: 1 }))).length, 2);
      assert.equal(requests[0]?.url, "http://localhost/v1/pets?limit=1&status=sold");
    })));

test("a runtime that does not tell the source of a number refuses what it may have rounded", async () => {
  const parse: typeof JSON.parse = (text, reviver) => own(text, reviver && ((name, value) => reviver(name, value)));
  const { parse: own } = JSON;
  await whileReplaced(JSON, { parse }, async () => {
    const read = (categoryId: string) => {
      const text = `{"id":1,"name":"\\"21.5 1234567890123456","categoryId":${categoryId},"status":"sold"}`;
      return inProcess({}, { fetch: () => Promise.resolve(new Response(text)) }).pets.get(1n);
    };
    assert.equal((await read("7")).categoryId, 7n);
    assert.equal((await read("9007199254740991")).categoryId, 2n ** 53n - 1n);
    for (const rounded of ["9007199254740993", "900719925474099.99999999999999", "4503599627370497.5", "7e400"]) {
      assert.equal((await failed(read(rounded))).code, "unexpected_response", rounded);
    }
  });
});

/** Whether the body of a create is a stream, which no runtime can send again. */
async function isStreamed(userAgent: string | undefined, idempotencyKey?: null): Promise<boolean> {
  const navigator = Object.getOwnPropertyDescriptor(globalThis, "navigator")!;
  const { fetch } = globalThis;
  let isStream = false;
  globalThis.fetch = async (url, init) => {
    isStream = init?.body instanceof ReadableStream;
    return new Response(`{"id":1,"status":"sold",${(await new Request(url, init).text()).slice(1)}`);
  };
  Object.defineProperty(globalThis, "navigator", { configurable: true, get: () => userAgent && { userAgent } });
  try {
    const { pets } = createClient({ baseUrl: "http://localhost/v1", key: KEY, maxRetries: 0 });
    assert.equal((await pets.create({ name: "Rex", categoryId: 7n }, { idempotencyKey })).name, "Rex");
  } finally {
    Object.defineProperty(globalThis, "navigator", navigator);
    globalThis.fetch = fetch;
  }
  return isStream;
}

test("Deno, which repeats requests by itself, cannot repeat a create without an Idempotency-Key", async () => {
  assert.equal(await isStreamed("Deno/2.5.0", null), true);
  assert.equal(await isStreamed("Deno/2.5.0"), false);
  assert.equal(await isStreamed("Node.js/24", null), false);
  assert.equal(await isStreamed(undefined, null), false);
});
