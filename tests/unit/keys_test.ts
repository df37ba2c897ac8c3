/** API keys: the forms of the option and what it refuses, callers and verifiers. The HTTP contract has other forms, the responses, and wrong keys. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createAuthenticate } from "../../lib/access/authentication.ts";
import { Problem } from "../../lib/http/problem.ts";
import { type ApiKeys, type Caller, createMemoryStore, createPetstore } from "../../mod.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createContext } from "../support/context.ts";
import { petRequest, REX } from "../support/pet_requests.ts";
import { whileReplaced } from "../support/while_replaced.ts";

const KEY = "pk_0123456789abcdef";
const OTHER = "pk_fedcba9876543210";
const DIGEST = `sha256:${hash(KEY)}`;
const CAPITALS = `sha256:${hash(KEY).toUpperCase()}`;

test("a key check that fails at its first request, because nothing can be hashed yet, works at the next one", async () => {
  const check = createCheck([KEY]);
  const digest = () => Promise.reject(new Error("not yet"));
  await whileReplaced(crypto.subtle, { digest }, () => assert.rejects(outcome(check, `Bearer ${KEY}`), /not yet/));
  assert.equal(await outcome(check, `Bearer ${KEY}`), "valid");
});

test("a later change of the list of keys does not change the check", async () => {
  const keys = [KEY];
  const check = createCheck(keys);
  keys[0] = OTHER;
  assert.deepEqual([await outcome(check, `Bearer ${KEY}`), await outcome(check, `Bearer ${OTHER}`)], [
    "valid",
    "invalid_api_key",
  ]);
});

test("the first record of a key counts, in clear and as its digest", async () => {
  for (const [one, two] of [[KEY, KEY], [KEY, DIGEST], [DIGEST, KEY], [CAPITALS, DIGEST]] as const) {
    const check = createCheck([{ key: one, caller: "first" }, { key: two, caller: "second" }]);
    assert.equal(await callerOf(check, KEY), "first");
  }
});

test("a key without a caller gets an id that does not reveal it, the same for its digest and for a verifier", async () => {
  const id = await callerOf(createCheck([KEY]), KEY);
  assert.match(id, /^key-[0-9a-f]{32}$/);
  assert.equal(await callerOf(createCheck([OTHER, DIGEST]), KEY), id);
  assert.equal(await callerOf(createCheck((key) => key === KEY), KEY), id);
});

test("a key is refused from the millisecond of its expiry, even right after its use", async () => {
  for (const key of [KEY, DIGEST]) {
    await whileReplaced(Date, { now: () => 1_059_999 }, async () => {
      const check = createCheck([{ key, caller: "shop", expires: new Date(1_060_000) }]);
      assert.equal(await callerOf(check, KEY), "shop");
      Date.now = () => 1_060_000;
      assert.equal(await callerOf(check, KEY), "The API key has expired");
    });
  }
});

test("a verifier that throws gets 500, and 503 if what it asks is unavailable", async () => {
  for (const [thrown, status] of [[new Error("bug"), 500], [new StoreUnavailableError("down"), 503]] as const) {
    for (const keys of [() => Promise.reject(thrown), () => assert.fail(thrown)]) {
      const { handle } = createPetstore({ keys, onError: () => {} });
      assert.equal((await handle(petRequest("/v1/pets"))).status, status);
    }
  }
});

test("a verifier whose caller has a wrong id, another member or a wrong right gets 500 and no write, and onError is told", async () => {
  const rights = [{ readonly: true }, { readOnly: "true" }, { readOnly: null }, { readOnly: true, name: "Ann" }];
  const verdicts = [...rights, { id: 7 }, { id: "" }, { id: undefined }];
  for (const verdict of verdicts) {
    const told: unknown[] = [], store = createMemoryStore();
    const keys = () => ({ id: "ann", ...verdict }) as unknown as { id: string };
    const { handle } = createPetstore({ keys, store, onError: ({ error }) => told.push(error) });
    for (const method of ["GET", "POST"]) {
      const body = method === "POST" ? REX : null;
      assert.equal((await handle(petRequest("/v1/pets", { method, body }))).status, 500);
    }
    assert.match(String(told), /^(TypeError: .* a text as its id, and readOnly alone,?){2}$/);
    assert.equal(await store.get(1n), undefined);
  }
});

test("a verifier's caller is read once: what a member of it becomes later gives no right", async () => {
  let reads = 0;
  const keys = () => ({
    id: "ann",
    get readOnly() {
      return reads++ === 0;
    },
  });
  const { handle } = createPetstore({ keys });
  assert.equal((await handle(petRequest("/v1/pets", { method: "POST", body: REX }))).status, 403);
});

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Resolves to the caller of an Authorization header, or to the refusal. */
type Check = (authorization: string | null) => Promise<Caller | Problem>;

function createCheck(keys: ApiKeys): Check {
  const authenticate = createAuthenticate(keys);
  return async (authorization) => await authenticate(createContext({ authorization }));
}

async function outcome(check: Check, authorization: string | null): Promise<string> {
  const found = await check(authorization);
  return found instanceof Problem ? JSON.parse(found.body).code : "valid";
}

async function callerOf(check: Check, key: string): Promise<string> {
  const found = await check(`Bearer ${key}`);
  return found instanceof Problem ? JSON.parse(found.body).message : found.id;
}

test("no shared cache keeps what a client got that was known by something other than Authorization", async () => {
  const response = Response.json([], { headers: { "cache-control": "public, max-age=60" } });
  const { handle } = createPetstore({
    keys: (_key, request) => request.headers.get("cookie") === "session=1" ? { id: "rex" } : false,
    handleStoreOrders: () => response.clone(),
  });
  const cookie = { cookie: "session=1" };
  const ask = async (path: string, headers: Record<string, string>, method = "GET") => {
    const { status, headers: fields } = await handle(new Request(`http://localhost/v1${path}`, { headers, method }));
    return [status, fields.get("cache-control")];
  };
  const isPrivate = "private, no-cache";
  // The third response comes from the cache of responses.
  for (let i = 0; i < 3; i++) assert.deepEqual(await ask("/pets", cookie), [200, isPrivate]);
  assert.deepEqual(await ask("/pets", { ...cookie, "if-none-match": "*" }), [304, isPrivate]);
  assert.deepEqual(await ask("/pets", cookie, "HEAD"), [200, isPrivate]);
  assert.deepEqual(await ask("/pets/7", cookie), [404, isPrivate]);
  assert.deepEqual(await ask("/store/orders", cookie), [200, "public, max-age=60"]);
  // With Authorization, a cache keeps nothing by itself (RFC 9111 §3.5). A refusal is the same for everybody.
  assert.deepEqual(await ask("/pets", { ...cookie, authorization: "Bearer k" }), [200, null]);
  assert.deepEqual(await ask("/pets", {}), [401, null]);
});

const VISIBLE = "API key number 1 must be 1 to 4096 visible ASCII characters, no space or comma";
const UNSET = "API key number 2 must be a key, but is undefined or empty; is an environment variable not set?";
const HEX_DIGITS = "API key number 3 must be sha256: and 64 hex digits";

/** Wrong values of the option, each with the message that says why. */
const WRONG_KEYS: [values: unknown[], message: string][] = [
  [
    [undefined, null, "pk_secret", 7, { key: "pk_secret" }, [], new Set()],
    "Option keys must be API keys, such as keys: [key], a key manager or a function",
  ],
  [["pk_secret ", "pk_secret\n", "pk_secret,pk_other", "pk_é", "\u007f", null, 7].map((key) => [{ key }]), VISIBLE],
  [[["pk secret"], ["pk_secret".padEnd(4097, "x")], [{ key: ["pk_secret"] }]], VISIBLE],
  // The value is that of an environment variable which is not set.
  [[undefined, "", { key: "" }, { key: undefined }, { caller: "shop" }].map((key) => ["right", key]), UNSET],
  [
    [["right", { key: "pk_secret", expire: new Date(0) }]],
    "API key number 2 must have no members but key, caller, expires and readOnly",
  ],
  [["", 7, null].map((caller) => [{ key: "pk", caller }]), "API key number 1 must have a caller that is not empty"],
  [
    ["2030-01-01", 7, new Date(NaN), null].map((expires) => [{ key: "pk", expires }]),
    "API key number 1 must have a valid Date as expires",
  ],
  [["no", 1, null].map((readOnly) => [{ key: "pk", readOnly }]), "API key number 1 must have a boolean as readOnly"],
  [["", "pk".repeat(32), "ab".repeat(31), `0${"ab".repeat(32)}`].map((hex) => ["a", "b", `sha256:${hex}`]), HEX_DIGITS],
];

test("createPetstore() refuses wrong keys, and says which one is wrong and why", () => {
  for (const [values, message] of WRONG_KEYS) {
    for (const keys of values) {
      assert.throws(() => createPetstore({ keys: keys as never }), { name: "TypeError", message });
    }
  }
});
