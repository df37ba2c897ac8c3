/** The option `keys`: the forms of keys, expiries, rights, callers and verifiers, and the words of refusals. */

import type { PetstoreOptions } from "../../../mod.ts";
import { type Api, KEY } from "../api.ts";
import assert from "node:assert/strict";
import { assertResponse } from "../../../packages/conformance/lib/http/case.ts";
import type { OwnCase } from "./all.ts";

/** SHA-256 of "hashed-key". */
const HASHED = "sha256:a4ae87b73fa5645e6aee415a6f72be4dcbd99d057a7b40cb1b867c181d179260";

/** All characters that a key may have: visible ASCII without the comma. */
const CHARACTERS = String.fromCharCode(...Array.from({ length: 94 }, (_, i) => 0x21 + i)).replace(",", "");
const LONG = CHARACTERS.padEnd(4096, "x");

const REALM = 'Bearer realm="petstore"';
const READ_ONLY = "The API key may only read";
const PET = { name: "Rex", categoryId: 7 };

async function assertStatuses(api: Api, statuses: Readonly<Record<string, number>>): Promise<void> {
  // Each key is tried twice, because the second check of a digest's key uses a cache.
  for (const [key, status] of [...Object.entries(statuses), ...Object.entries(statuses)]) {
    assert.equal((await api.get("/pets", { key })).status, status, key);
  }
}

/** What a verifier says of each key, if not `true`. */
const VERDICTS: Record<string, unknown> = {
  later: Promise.resolve(true),
  reader: { id: "shop", readOnly: true },
  no: false,
  truthy: "yes",
  null: null,
  user: { user: 1 },
};

const verify: PetstoreOptions["keys"] = (key = "", request) => {
  if (request.headers.get("cookie") === "session=7") return { id: "owner of the session" };
  return (key in VERDICTS ? VERDICTS[key] : true) as boolean;
};

/** Credentials that are refused, each with the message that says why. */
const REFUSALS: [authorization: string, message: string][] = [
  ["Bearer x", "The API key is not valid"],
  [`Bearer "${KEY}"`, "The API key is not valid"],
  ["Bearer petstore_0000000000000000000000000000002C8GjS", "The API key is not valid"],
  [
    "Bearer petstore_0000000000000000000000000000002C8GjT",
    "The API key is incomplete or mistyped: its checksum is wrong",
  ],
  ...[`Basic ${KEY}`, `Bearer ${KEY},${KEY}`, `Bearer ${KEY} ${KEY}`].map((authorization): [string, string] => {
    return [authorization, "The Authorization header must be Bearer <API_KEY>: the word, a space and the key alone"];
  }),
];

export const CALLER_CASES: readonly OwnCase[] = [
  {
    name: "accepts several keys of up to 4,096 visible ASCII characters at once, in clear or as a SHA-256 digest",
    options: { keys: new Set(["old-key", HASHED, LONG, "petstore_own"]) },
    async run(api) {
      await assertStatuses(api, { "old-key": 200, "hashed-key": 200, [LONG]: 200, petstore_own: 200 });
      await assertStatuses(api, { [HASHED]: 401, [KEY]: 401, "hashed-keys": 401, [LONG.slice(1)]: 401 });
      // RFC 6750 §2.1 allows several spaces.
      for (const key of ["old-key", "hashed-key"]) {
        assert.equal((await api.get("/pets", { headers: { authorization: `Bearer   ${key}` } })).status, 200);
      }
    },
  },
  {
    name: "refuses a key that has expired, and says so",
    options: { keys: [{ key: "old", expires: new Date(0) }, { key: "young", expires: new Date(8.64e15) }] },
    async run(api) {
      const message = "The API key has expired";
      const { headers, error } = await api.get("/pets", { key: "old" });
      assert.deepEqual(error, { code: "invalid_api_key", message, status: 401 });
      const challenge = `${REALM}, error="invalid_token", error_description="${message}"`;
      assert.equal(headers.get("www-authenticate"), challenge);
      assert.equal((await api.get("/pets", { key: "young" })).status, 200);
    },
  },
  {
    name: "asks a verifier, and lets in only those that it names or answers true to, to read or to write as it says",
    options: { keys: verify, onError: () => {} },
    async run(api) {
      await assertStatuses(api, { yes: 200, later: 200, reader: 200, [LONG]: 200 });
      // An object that is no caller is a mistake of the verifier, which the app is to hear of.
      await assertStatuses(api, { no: 401, truthy: 401, null: 401, user: 500 });
      assert.equal((await api.post(PET, { key: "reader" })).status, 403);
      assert.equal((await api.post(PET, { key: "yes" })).status, 201);
    },
  },
  {
    name: "accepts a request without a key only if the verifier names its caller",
    options: { keys: verify, onError: () => {} },
    async run(api) {
      const cookie = { cookie: "session=7" };
      assert.equal((await api.get("/pets", { key: null, headers: cookie })).status, 200);
      assertResponse(await api.get("/pets", { key: null }), { status: 401, code: "missing_api_key" });
    },
  },
  {
    name: "does not ask a verifier about credentials that cannot be a key",
    options: { keys: verify, onError: () => {} },
    async run(api) {
      for (const text of ["", `${LONG}x`, "yes,yes", "yes yes", "y\u00e9s"]) {
        const response = await api.get("/pets", { headers: { authorization: `Bearer ${text}` } });
        assertResponse(response, { status: 401, code: "invalid_api_key" }, text);
      }
    },
  },
  {
    name: "answers 403 to a create with a key that may only read, after 404 and 405, and before the body",
    options: { keys: [{ key: "reader", readOnly: true, caller: "shop" }, { key: "writer", caller: "shop" }] },
    async run(api) {
      const challenge = `${REALM}, error="insufficient_scope", error_description="${READ_ONLY}"`;
      for (const body of [PET, "{", "x".repeat(900_000)]) {
        const { headers, error } = await api.post(body, { key: "reader" });
        assert.deepEqual(error, { code: "insufficient_scope", message: READ_ONLY, status: 403 });
        assert.equal(headers.get("www-authenticate"), challenge);
      }
      const sent = [["POST", "/unknown"], ["POST", "/pets/1"], ["DELETE", "/pets"]] as const;
      const refused = await Promise.all(sent.map(([method, path]) => api.send(method, path, { key: "reader" })));
      assert.deepEqual(refused.map(({ status }) => status), [404, 405, 405]);
      assert.equal((await api.get("/pets", { key: "reader" })).text, "[]");
      assert.equal((await api.post(PET, { key: "writer" })).status, 201);
    },
  },
  {
    name: "repeats a create for each key of its caller, and for no other",
    options: { keys: [{ key: "old", caller: "shop" }, { key: "new", caller: "shop" }, "one", "two"] },
    async run(api) {
      const headers = { "idempotency-key": "order-1" };
      const found: unknown[] = [];
      for (const key of ["old", "new", "one", "two", "one"]) {
        found.push((await api.post(PET, { key, headers })).headers.get("location"));
      }
      assert.deepEqual(found, [1, 1, 2, 3, 2].map((id) => `/v1/pets/${id}`));
    },
  },
  {
    name: "answers 401 to missing, wrong, mistyped, malformed and other credentials, and says why",
    async run(api) {
      const missing = "An API key is required, as Authorization: Bearer <API_KEY>";
      const { error } = await api.get("/pets", { key: null });
      assert.deepEqual(error, { code: "missing_api_key", message: missing, status: 401 });
      for (const [authorization, message] of REFUSALS) {
        const { headers, error } = await api.get("/pets", { headers: { authorization } });
        assert.deepEqual(error, { code: "invalid_api_key", message, status: 401 }, authorization);
        // Another scheme gets no error code (RFC 6750 §3.1).
        const hasCode = authorization.startsWith("Bearer ");
        const challenge = hasCode ? `${REALM}, error="invalid_token", error_description="${message}"` : REALM;
        assert.equal(headers.get("www-authenticate"), challenge, authorization);
      }
    },
  },
];
