/** What createClient() and its calls take, and runtimes that lack something. */

import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "../mod.ts";
import { answeredBy, failed, inProcess, KEY } from "./support.ts";
import { whileReplaced } from "../../../tests/support/while_replaced.ts";

const REX = { name: "Rex", categoryId: 7n };

test("a call with a wrong argument or a misspelt option is refused, and nothing is sent", async () => {
  const { pets, requests } = inProcess();
  const misspelt = { idempotencykey: "a" } as Record<string, unknown>;
  const calls: [call: () => Promise<unknown>, message: RegExp][] = [
    ...([7, "7", '7,"id":1', undefined, null] as unknown as bigint[]).flatMap((value): typeof calls => [
      [() => pets.create({ ...REX, categoryId: value }), /^categoryId must be a bigint such as 7n$/],
      [() => pets.get(value), /^id must be a bigint/],
    ]),
    [() => pets.create({ ...REX, name: 7 as unknown as string }), /^name must be/],
    [() => pets.create(REX, { idempotencyKey: "a\r\nb: c" }), /^Option idempotencyKey must be/],
    [() => pets.create(REX, misspelt), /^Unknown option idempotencykey;/],
    [() => pets.get(1n, misspelt), /^Unknown option idempotencykey;/],
    [() => pets.page(misspelt), /^Unknown option idempotencykey;/],
    [() => pets.list(misspelt).toArray(), /^Unknown option idempotencykey;/],
  ];
  for (const [call, message] of calls) await assert.rejects(call, { name: "TypeError", message });
  assert.deepEqual(requests, []);
});

test("createClient() refuses options that are missing, unknown or wrong, and quotes no key", () => {
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
  const wrong: [options: Record<string, unknown>, name: string, message: RegExp][] = [
    ...keys.map((
      key,
    ): typeof wrong[0] => [{ key }, "TypeError", /^Option key must be visible ASCII .* without spaces$/]),
    ...addresses.map((
      baseUrl,
    ): typeof wrong[0] => [{ baseUrl }, "TypeError", /^Option baseUrl must be an address such as "[^"]*"$/]),
    [{ key: "" }, "TypeError", /^Option key is missing or empty$/],
    [{ key: undefined }, "TypeError", /^Option key is missing or empty$/],
    [{ fetch: "x" }, "TypeError", /^Option fetch must be a function$/],
    [{ onDeprecation: 7 }, "TypeError", /^Option onDeprecation must be a function$/],
    [{ timeoutMs: "9" }, "TypeError", /^Option timeoutMs must be a number$/],
    [{ timeoutMs: 2 ** 31 }, "RangeError", /^Option timeoutMs must be from 1 to 2147483647/],
    [{ timeoutMs: NaN }, "RangeError", /timeoutMs/],
    [{ maxRetries: -1 }, "RangeError", /maxRetries/],
    [{ baseURL: "http://localhost/v1" }, "TypeError", /^Unknown option baseURL; the options are baseUrl, key, fetch, /],
  ];
  for (const [options, name, message] of wrong) {
    assert.throws(() => createClient({ baseUrl: "http://localhost/v1", key: KEY, ...options }), { name, message });
  }
});

test("baseUrl may have a slash at its end, or be a URL, and an option that is undefined is as one that is not given", async () => {
  // Older browsers lack it.
  await whileReplaced(URL as { canParse?: unknown }, { canParse: undefined }, async () => {
    for (const baseUrl of ["http://localhost/v1/", new URL("http://localhost/v1")]) {
      const more = { baseUrl, timeoutMs: undefined, maxRetries: undefined, onDeprecation: undefined };
      const { pets, requests } = inProcess({}, more);
      await pets.create({ ...REX, status: undefined }, { idempotencyKey: undefined });
      await pets.list({ status: undefined, limit: undefined, signal: undefined }).toArray();
      assert.deepEqual(requests.map(({ url }) => url), Array(2).fill("http://localhost/v1/pets"));
    }
  });
});

test("a runtime that does not tell the source of a number refuses what it may have rounded", async () => {
  const { parse: own } = JSON;
  const parse: typeof JSON.parse = (text, reviver) => own(text, reviver && ((name, value) => reviver(name, value)));
  await whileReplaced(JSON, { parse }, async () => {
    const read = (categoryId: string) => {
      const text = `{"id":1,"name":"\\"21.5 1234567890123456","categoryId":${categoryId},"status":"sold"}`;
      return answeredBy(() => new Response(text)).get(1n);
    };
    assert.equal((await read("7")).categoryId, 7n);
    assert.equal((await read("9007199254740991")).categoryId, 2n ** 53n - 1n);
    for (const rounded of ["9007199254740993", "900719925474099.99999999999999", "4503599627370497.5", "7e400"]) {
      assert.equal((await failed(read(rounded))).code, "unexpected_response", rounded);
    }
  });
});

test("outside of Deno, the body of a create is no stream, which a browser may not take", async () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "navigator")!;
  for (const navigator of [{ userAgent: "Node.js/24" }, undefined]) {
    let body: unknown;
    const fetch: typeof globalThis.fetch = (_, init) => {
      body = init?.body;
      return Promise.resolve(new Response('{"id":1,"name":"Rex","categoryId":7}'));
    };
    Object.defineProperty(globalThis, "navigator", { configurable: true, value: navigator });
    try {
      const { pets } = createClient({ baseUrl: "http://localhost/v1", key: KEY });
      await whileReplaced(globalThis, { fetch }, () => pets.create(REX, { idempotencyKey: null }));
    } finally {
      Object.defineProperty(globalThis, "navigator", own);
    }
    assert.equal(body, '{"name":"Rex","categoryId":7}');
  }
});
