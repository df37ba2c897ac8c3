/**
 * The option `keys`: what it refuses, who a caller is, and verifiers; and the text of new keys. The
 * HTTP contract has the responses.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { isMistyped, makeKey } from "../../lib/access/key_text.ts";
import { type ApiKeys, type Caller, createMemoryStore, createPetstore } from "../../mod.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { KEY, petRequest, REX } from "../support/pet_requests.ts";
import { whileReplaced } from "../support/while_replaced.ts";

const DIGEST = `sha256:${createHash("sha256").update(KEY).digest("hex")}`;

/** Sends a request with the key, and resolves to the status and the caller. */
function asker(keys: ApiKeys): () => Promise<{ status: number; caller: Caller | undefined }> {
  let caller: Caller | undefined;
  const { handle } = createPetstore({ keys, onResponse: (info) => caller = info.caller });
  return async () => ({ status: (await handle(petRequest("/v1/pets"))).status, caller });
}

test("a key without a caller gets an id that does not reveal it, the same for its digest and for a verifier", async () => {
  const { caller } = await asker([KEY])();
  assert.match(caller!.id, /^key-[0-9a-f]{32}$/);
  const forms: ApiKeys[] = [["pk_other", DIGEST], [DIGEST.toUpperCase().replace("SHA", "sha")], (key) => key === KEY];
  for (const keys of forms) assert.deepEqual((await asker(keys)()).caller, caller);
});

test("of two equal keys in a list the first counts, in clear text or as a digest", async () => {
  for (const equal of [[KEY, KEY], [KEY, DIGEST], [DIGEST, KEY]]) {
    const { caller } = await asker(equal.map((key, i) => ({ key, caller: `${i}`, readOnly: i === 0 })))();
    assert.deepEqual(caller, { id: "0", readOnly: true });
  }
});

test("a key is refused from the millisecond of its expiry, even right after its use", () =>
  whileReplaced(Date, { now: () => 1_059_999 }, async () => {
    const ask = asker([{ key: DIGEST, expires: new Date(1_060_000) }]);
    assert.equal((await ask()).status, 200);
    Date.now = () => 1_060_000;
    assert.equal((await ask()).status, 401);
  }));

test("a verifier that throws gets 500, and 503 if what it asks is unavailable", async () => {
  for (const [thrown, status] of [[new Error("bug"), 500], [new StoreUnavailableError("down"), 503]] as const) {
    const { handle } = createPetstore({ keys: () => Promise.reject(thrown), onError: () => {} });
    assert.equal((await handle(petRequest("/v1/pets"))).status, status);
  }
});

test("a verifier whose caller has a wrong id, another member or a wrong right gets 500 and no write, and onError is told", async () => {
  for (const verdict of [{ readonly: true }, { readOnly: "true" }, { id: 7 }, { id: "" }]) {
    const told: unknown[] = [];
    const store = createMemoryStore();
    const keys = () => ({ id: "ann", ...verdict }) as unknown as { id: string };
    const { handle } = createPetstore({ keys, store, onError: ({ error }) => told.push(error) });
    assert.equal((await handle(petRequest("/v1/pets", { method: "POST", body: REX }))).status, 500);
    assert.match(String(told), /^TypeError: .* a text as its id, and readOnly alone$/);
    assert.equal(await store.get(1n), undefined);
  }
});

test("no shared cache keeps what a client got that was known by something other than Authorization", async () => {
  const { handle } = createPetstore({
    keys: (_key, { headers }) => headers.get("cookie") === "session=1" ? { id: "rex" } : false,
    handleStoreOrders: () => Response.json([], { headers: { "cache-control": "public, max-age=60" } }),
  });
  /** The status and Cache-Control of a response to this session. */
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await handle(
      new Request(`http://localhost/v1${path}`, { headers: { cookie: "session=1", ...headers } }),
    );
    return [response.status, response.headers.get("cache-control")];
  };
  const isPrivate = "private, no-cache";
  // The third response comes from the cache of responses.
  for (let time = 0; time < 3; time++) assert.deepEqual(await ask("/pets"), [200, isPrivate]);
  assert.deepEqual(await ask("/pets", { "if-none-match": "*" }), [304, isPrivate]);
  assert.deepEqual(await ask("/pets/7"), [404, isPrivate]);
  // The app says itself what may be kept of its own response.
  assert.deepEqual(await ask("/store/orders"), [200, "public, max-age=60"]);
  // With Authorization, a cache keeps nothing by itself (RFC 9111 §3.5).
  assert.deepEqual(await ask("/pets", { authorization: "Bearer k" }), [200, null]);
});

/** Wrong values of the option, each with the message that says why. */
const WRONG: [keys: unknown, message: RegExp][] = [
  [undefined, /^Option keys must be API keys, such as keys: \[key\], a key manager or a function$/],
  ["pk_secret", /^Option keys must be/],
  [["pk_secret,pk_other"], /^Option keys\[0\]\.key must be 1 to 4096 visible ASCII characters, no space or comma$/],
  // The value is that of an environment variable which is not set.
  [["right", undefined], /^Option keys\[1\]\.key is undefined or empty; is an environment variable not set\?$/],
  [["right", { key: "pk_secret", expire: 0 }], /^Unknown option keys\[1\]\.expire; the options are key, caller, /],
  [
    [{ key: "pk_secret", expires: new Date(NaN) }],
    /^Option keys\[0\]\.expires must be a valid Date, not Invalid Date$/,
  ],
  [[{ key: "pk_secret", readOnly: "no" }], /^Option keys\[0\]\.readOnly must be one of true, false, not "no"$/],
  [["a", "b", `sha256:${"ab".repeat(31)}`], /^Option keys\[2\]\.key must be sha256: and 64 hex digits$/],
];

test("createPetstore() refuses wrong keys, and says which one is wrong and why, without showing it", () => {
  for (const [keys, message] of WRONG) {
    assert.throws(() => createPetstore({ keys: keys as never }), (error: Error) => {
      assert.match(error.message, message);
      return error instanceof TypeError && !error.message.includes("secret");
    });
  }
});

test("a new key has the prefix, 30 random characters of 62 kinds, and the CRC-32 of them in base 62", () => {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const seen = new Set<string>();
  for (let i = 0; i < 1_000; i++) {
    const key = makeKey();
    assert.match(key, /^petstore_[0-9A-Za-z]{36}$/);
    const [secret, check] = [key.slice(9, -6), key.slice(-6)];
    const value = Array.from(check).reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    assert.equal(value, crc32(secret), key);
    for (const digit of secret) seen.add(digit);
  }
  assert.equal(seen.size, 62);
});

test("a key with one character wrong or missing is mistyped, and a text of another kind is not", () => {
  const key = makeKey();
  for (let at = 9; at < key.length; at++) {
    const [before, after] = [key.slice(0, at), key.slice(at + 1)];
    const other = key[at] === "x" ? "y" : "x";
    assert.ok(isMistyped(before + other + after) && isMistyped(before + after), `${key} ${at}`);
  }
  for (const text of ["", "pk_example", key]) assert.equal(isMistyped(text), false, text);
});
