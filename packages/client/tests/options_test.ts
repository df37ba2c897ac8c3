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
    [{ key: "Bearer pk_secret" }, /^TypeError: Option key must be visible ASCII .* without spaces$/],
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
