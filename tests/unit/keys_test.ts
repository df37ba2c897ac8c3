/** API keys: the forms of the option, the check of a request, callers, and messages that show no key. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createAuthenticate } from "../../lib/access/authentication.ts";
import type { ApiKeys } from "../../lib/access/keys.ts";
import { Problem } from "../../lib/http/problem.ts";
import { FetchContext } from "../../lib/hosts/fetch.ts";
import type { Caller } from "../../mod.ts";
import { createContext } from "../support/context.ts";

const KEY = "pk_0123456789abcdef";
const OTHER = "pk_fedcba9876543210";
const DIGEST = `sha256:${hash(KEY)}`;

const KEY_FORMS: [form: string, keys: ApiKeys][] = [
  ["in clear", [KEY]],
  ["as its digest", [DIGEST]],
  ["as its digest in capitals", [`sha256:${DIGEST.slice(7).toUpperCase()}`]],
  ["among others", [OTHER, KEY, `sha256:${"0".repeat(64)}`]],
  ["as a digest among others", [`sha256:${"0".repeat(64)}`, OTHER, DIGEST]],
  ["twice", [KEY, KEY, DIGEST, DIGEST]],
  ["in a Set", new Set([KEY])],
  ["by a generator", createKeys()],
  ["by a verifier", (key) => key === KEY],
  ["by an asynchronous verifier", (key) => Promise.resolve(key === KEY)],
];

for (const [form, keys] of KEY_FORMS) {
  test(`a key check with the key given ${form} accepts that key repeatedly and no other`, async () => {
    const check = createCheck(keys);
    for (let i = 0; i < 3; i++) {
      assert.equal(await outcome(check, `Bearer ${KEY}`), "valid");
      for (const wrong of [`${KEY}0`, KEY.slice(0, -1), KEY.toUpperCase(), `x${KEY}`, `${KEY}${KEY}`, DIGEST]) {
        assert.equal(await outcome(check, `Bearer ${wrong}`), "invalid_api_key", wrong);
      }
    }
  });
}

test("a key check accepts each of 500 keys", async () => {
  const keys = Array.from({ length: 500 }, (_, i) => `pk_${i}`);
  const check = createCheck(keys);
  for (const key of keys) assert.equal(await outcome(check, `Bearer ${key}`), "valid");
  assert.equal(await outcome(check, "Bearer pk_500"), "invalid_api_key");
});

test("a key check accepts concurrent requests with a key given as its digest", async () => {
  const check = createCheck([DIGEST]);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcome(check, `Bearer ${KEY}`)));
  assert.deepEqual(outcomes, Array.from({ length: 50 }, () => "valid"));
});

test("a later change of the list of keys does not change the check", async () => {
  const keys = [KEY];
  const check = createCheck(keys);
  keys[0] = OTHER;
  assert.equal(await outcome(check, `Bearer ${KEY}`), "valid");
  assert.equal(await outcome(check, `Bearer ${OTHER}`), "invalid_api_key");
});

test("a key check takes the scheme in any case and any number of spaces after it", async () => {
  const check = createCheck([KEY]);
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
    assert.equal(await outcome(check, `${scheme} ${KEY}`), "valid");
    assert.equal(await outcome(check, `${scheme}    ${KEY}`), "valid");
  }
});

test("a key check refuses everything but Bearer and one key, without asking the verifier", async () => {
  const check = createCheck(() => true);
  const headers = ["", "Bearer", "Bearer ", "Bearer    ", KEY, `Basic ${KEY}`, `Bearer\t${KEY}`, `Bearer:${KEY}`];
  headers.push(`Bearer${KEY}`, `Token ${KEY}`, ` Bearer ${KEY}`, `Bearer ${KEY} `, `Bearer ${KEY} ${KEY}`);
  headers.push(`Bearer ${KEY},${KEY}`, `Bearer ${KEY}, Bearer ${KEY}`, `Bearer ${KEY}é`, `Bearer ${KEY}\u007f`);
  for (const header of headers) assert.equal(await outcome(check, header), "invalid_api_key", JSON.stringify(header));
  assert.equal(await outcome(check, null), "missing_api_key");
});

test("a key has at most 4096 characters", async () => {
  const long = "~!".repeat(2048);
  const check = createCheck([long]);
  assert.equal(await outcome(check, `Bearer ${long}`), "valid");
  assert.equal(await outcome(check, `Bearer ${long.slice(0, -1)}`), "invalid_api_key");
  assert.equal(await outcome(check, `Bearer ${long.slice(0, -1)}?`), "invalid_api_key");
  assert.equal(await outcome(createCheck(() => true), `Bearer ${long}x`), "invalid_api_key");
});

test("a verifier that returns neither true nor a caller refuses the key", async () => {
  for (const result of [false, undefined, null, 0, 1, "true", {}, { user: 1 }, []]) {
    const verifier = () => result as boolean;
    assert.equal(await outcome(createCheck(verifier), `Bearer ${KEY}`), "invalid_api_key", String(result));
    const later = () => Promise.resolve(result as boolean);
    assert.equal(await outcome(createCheck(later), `Bearer ${KEY}`), "invalid_api_key", String(result));
  }
});

test("an exception of a verifier is passed on", async () => {
  const cause = new Error("The key service is down");
  const failing: ApiKeys[] = [() => {
    throw cause;
  }, () => Promise.reject(cause)];
  for (const keys of failing) {
    const check = createCheck(keys);
    await assert.rejects(async () => await check(`Bearer ${KEY}`), cause);
  }
});

test("a refusal has the WWW-Authenticate header of RFC 6750 §3", async () => {
  const check = createCheck([KEY]);
  const missing = await check(null) as Problem;
  assert.deepEqual([missing.status, missing.headers["www-authenticate"]], [401, 'Bearer realm="petstore"']);
  const invalid = await check("Bearer wrong") as Problem;
  assert.equal(invalid.status, 401);
  assert.match(
    invalid.headers["www-authenticate"] ?? "",
    /^Bearer realm="petstore", error="invalid_token", error_description="[^"\\]+"$/,
  );
});

test("a key without a caller gets an id that does not reveal it, the same for its digest and for a verifier", async () => {
  const id = await callerOf(createCheck([KEY]), KEY);
  assert.match(id, /^key-[0-9a-f]{32}$/);
  assert.equal(await callerOf(createCheck([OTHER, DIGEST]), KEY), id);
  assert.equal(await callerOf(createCheck((key) => key === KEY), KEY), id);
  assert.notEqual(await callerOf(createCheck([OTHER]), OTHER), id);
});

test("several keys can share a caller", async () => {
  const check = createCheck([{ key: KEY, caller: "shop" }, { key: `sha256:${hash(OTHER)}`, caller: "shop" }]);
  assert.deepEqual([await callerOf(check, KEY), await callerOf(check, OTHER)], ["shop", "shop"]);
});

test("a key is refused from the millisecond of its expiry, even right after its use", async () => {
  const { now } = Date;
  try {
    for (const key of [KEY, DIGEST]) {
      Date.now = () => 1_059_999;
      const check = createCheck([{ key, caller: "shop", expires: new Date(1_060_000) }]);
      assert.equal(await callerOf(check, KEY), "shop");
      Date.now = () => 1_060_000;
      assert.equal(await callerOf(check, KEY), "The API key has expired");
    }
  } finally {
    Date.now = now;
  }
});

test("a verifier gets the request and may return a caller", async () => {
  const authenticate = createAuthenticate((key, request) => ({ id: `${key} at ${new URL(request.url).pathname}` }));
  const request = new Request("http://h/v1/pets", { headers: { authorization: `Bearer ${KEY}` } });
  const context = new FetchContext(request, request.headers);
  assert.deepEqual(await authenticate(context), { id: `${KEY} at /v1/pets` });
});

test("a verifier may accept a request without a key by answering with a caller, but not with true", async () => {
  const asked: (string | undefined)[] = [];
  const session = createCheck((key) => {
    asked.push(key);
    return Promise.resolve({ id: "session-7" });
  });
  assert.deepEqual(await session(null), { id: "session-7" });
  assert.deepEqual(asked, [undefined]);
  // A verifier that compares the key with an empty variable would otherwise accept every request.
  for (const result of [true, "session-7", {}, { id: "" }, { id: 7 }, undefined]) {
    assert.equal(await outcome(createCheck(() => result as boolean), null), "missing_api_key", String(result));
  }
});

test("a key that no request may carry is refused even if its digest is listed", async () => {
  for (const text of ["two words", "one, other", "h\u00fcnde"]) {
    const check = createCheck([`sha256:${hash(text)}`]);
    assert.equal(await outcome(check, `Bearer ${text}`), "invalid_api_key", text);
  }
});

test("members that a program has added to Object.prototype belong to no key", async () => {
  const polluted = { caller: "everyone", expires: new Date(0) };
  Object.assign(Object.prototype, polluted);
  try {
    const check = createCheck([KEY, { key: OTHER }]);
    assert.notEqual(await callerOf(check, KEY), await callerOf(check, OTHER));
    assert.match(await callerOf(check, KEY), /^key-/);
  } finally {
    for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name);
  }
});

const BAD_KEYS: [what: string, keys: unknown][] = [
  ["nothing", undefined],
  ["null", null],
  ["a string", "pk_secret"],
  ["an object", { key: "pk_secret" }],
  ["no key", []],
  ["an empty key", [""]],
  ["a key with a space", ["pk_secret ", KEY]],
  ["a key with a line feed", ["pk_secret\n"]],
  ["a key with a comma", ["pk_secret,pk_other"]],
  ["a key beyond ASCII", ["pk_secret_é"]],
  ["a key of 4097 characters", ["pk_secret".padEnd(4097, "x")]],
  ["a key that is not a string", [KEY, 7]],
  ["a digest that is too short", [`sha256:${"ab".repeat(31)}`]],
  ["a digest that is too long", [`sha256:${"ab".repeat(33)}`]],
  ["a digest that is not hexadecimal", [`sha256:${"xy".repeat(32)}`]],
  ["an empty digest", ["sha256:"]],
  ["a record without a key", [{ caller: "pk_secret" }]],
  ["a record whose key has a space", [{ key: "pk_secret " }]],
  ["an empty caller", [{ key: "pk_secret", caller: "" }]],
  ["an expiry that is not a Date", [{ key: "pk_secret", expires: "2030-01-01" }]],
  ["a record with a misspelt member", [{ key: "pk_secret", expire: new Date(0) }]],
  ["an invalid Date as expiry", [{ key: "pk_secret", expires: new Date(NaN) }]],
];

for (const [what, keys] of BAD_KEYS) {
  test(`createPetstore()'s key check refuses ${what} without showing a key`, () => {
    assert.throws(() => createCheck(keys as ApiKeys), (error) => {
      assert(error instanceof TypeError);
      assert.match(error.message, /^(Option keys must|API key number \d+ must) [^\n]+$/);
      assert.doesNotMatch(error.message, /pk_|xy|abab/);
      return true;
    });
  });
}

test("the message for a wrong key gives its number", () => {
  assert.throws(() => createCheck([KEY, OTHER, "a b"]), /API key number 3 /);
});

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function* createKeys(): Iterable<string> {
  yield OTHER;
  yield KEY;
}

/** Resolves to the caller of an Authorization header, or to the refusal. */
type Check = (authorization: string | null) => Promise<Caller | Problem>;

function createCheck(keys: ApiKeys): Check {
  const authenticate = createAuthenticate(keys);
  return async (authorization) => {
    return await authenticate(createContext({ authorization }));
  };
}

async function outcome(check: Check, authorization: string | null): Promise<string> {
  const found = await check(authorization);
  return found instanceof Problem ? JSON.parse(found.body).code : "valid";
}

async function callerOf(check: Check, key: string): Promise<string> {
  const found = await check(`Bearer ${key}`);
  return found instanceof Problem ? JSON.parse(found.body).message : found.id;
}
