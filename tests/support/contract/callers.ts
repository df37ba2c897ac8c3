/** The option `keys`: the forms of keys, expiries, rights, callers and verifiers, and the words of refusals. */

import type { PetstoreOptions } from "../../../mod.ts";
import { type Api, KEY } from "../api.ts";
import assert from "node:assert/strict";
import { assertResponse } from "../../../packages/conformance/lib/http/responses.ts";
import type { OwnCase } from "./all.ts";

/** SHA-256 of "hashed-key". */
const HASHED = "sha256:a4ae87b73fa5645e6aee415a6f72be4dcbd99d057a7b40cb1b867c181d179260";

/** All characters that a key may have, visible ASCII without the comma, in a key of the greatest length. */
const LONG = String.fromCharCode(...Array.from({ length: 94 }, (_, i) => 0x21 + i)).replace(",", "").padEnd(4096, "x");

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
};

const verify: PetstoreOptions["keys"] = (key = "", request) => {
  if (request.headers.get("cookie") === "session=7") return { id: "owner of the session" };
  return (key in VERDICTS ? VERDICTS[key] : true) as boolean;
};

const OF_ANOTHER_FORM = "The Authorization header must be Bearer <API_KEY>: the word, a space and the key alone";

/** Credentials that are refused, each with the message that says why. */
const REFUSALS: [authorization: string, message: string][] = [
  ["Bearer x", "The API key is not valid"],
  ["Bearer old", "The API key has expired"],
  ["Bearer petstore_0000000000000000000000000000002C8GjS", "The API key is not valid"],
  [
    "Bearer petstore_0000000000000000000000000000002C8GjT",
    "The API key is incomplete or mistyped: its checksum is wrong",
  ],
  [`Bearer ${KEY},${KEY}`, OF_ANOTHER_FORM],
  [`Basic ${KEY}`, OF_ANOTHER_FORM],
];

export const CALLER_CASES: readonly OwnCase[] = [
  {
    name: "accepts several keys of up to 4,096 visible ASCII characters at once, in clear or as a SHA-256 digest",
    options: { keys: new Set(["old-key", HASHED, LONG, "petstore_own"]) },
    async run(api) {
      await assertStatuses(api, { "old-key": 200, "hashed-key": 200, [LONG]: 200, petstore_own: 200 });
      await assertStatuses(api, { [HASHED]: 401, [KEY]: 401, "hashed-keys": 401, [LONG.slice(1)]: 401 });
      // RFC 6750 §2.1 allows several spaces.
      const headers = { authorization: "Bearer   hashed-key" };
      assert.equal((await api.get("/pets", { headers })).status, 200);
    },
  },
  {
    name: "asks a verifier, and lets in only those that it names or answers true to, to read or to write as it says",
    options: { keys: verify },
    async run(api) {
      await assertStatuses(api, { yes: 200, later: 200, reader: 200, no: 401, truthy: 401, null: 401 });
      assert.equal((await api.post(PET, { key: "reader" })).status, 403);
      assert.equal((await api.post(PET, { key: "yes" })).status, 201);
      // Without a key, only the name of a caller lets a request in.
      assert.equal((await api.get("/pets", { key: null, headers: { cookie: "session=7" } })).status, 200);
      assertResponse(await api.get("/pets", { key: null }), 401, "missing_api_key");
      // The verifier, which would say yes, is not asked about what cannot be a key.
      for (const text of ["", `${LONG}x`, "yes,yes", "yes yes", "y\u00e9s"]) {
        const response = await api.get("/pets", { headers: { authorization: `Bearer ${text}` } });
        assertResponse(response, 401, "invalid_api_key");
      }
    },
  },
  {
    name: "answers 403 to a create with a key that may only read, after 404 and 405, and before the body",
    options: { keys: [{ key: "reader", readOnly: true, caller: "shop" }, { key: "writer", caller: "shop" }] },
    async run(api) {
      const message = "The API key may only read";
      const challenge = `Bearer realm="petstore", error="insufficient_scope", error_description="${message}"`;
      for (const body of [PET, "{", "x".repeat(900_000)]) {
        const { headers, text } = await api.post(body, { key: "reader" });
        assert.deepEqual(JSON.parse(text), { code: "insufficient_scope", message, status: 403 });
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
    name: "says in each refusal of a key what is wrong with it",
    options: { keys: [KEY, { key: "old", expires: new Date(0) }] },
    async run(api) {
      for (const [authorization, message] of REFUSALS) {
        const { headers, text } = await api.get("/pets", { headers: { authorization } });
        assert.deepEqual(JSON.parse(text), { code: "invalid_api_key", message, status: 401 }, authorization);
        // Another scheme gets no error code (RFC 6750 §3.1).
        const code = authorization.startsWith("Bearer ")
          ? `, error="invalid_token", error_description="${message}"`
          : "";
        assert.equal(headers.get("www-authenticate"), `Bearer realm="petstore"${code}`, authorization);
      }
    },
  },
];
