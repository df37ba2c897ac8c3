/** Section 5 of the specification, and RFC 6750. */

import type { PetstoreOptions } from "../../../mod.ts";
import { type Api, type ApiResponse, KEY } from "./api.ts";
import { assert } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, ON_HOST } from "./case.ts";

const REQUIRED = addition("auth", "Every path needs a key, unknown ones too, and 401 has WWW-Authenticate (RFC 6750)");
const KEYS = addition("auth", "A key is Authorization: Bearer <key>, with Bearer in any letter case");
const RIGHTS = addition("auth", "A key may be for reading only");

const PATHS = ["/pets", "/pets/1", "/store/orders", "/unknown"];
const OUTSIDE = ["//v2/pets", "//"];
const METHODS = ["GET", "POST", "HEAD", "OPTIONS", "DELETE"];
const REALM = 'Bearer realm="petstore"';
const INVALID = "The API key is not valid";
const MALFORMED = "The Authorization header must be Bearer <API_KEY>: the word, a space and the key alone";
const MISTYPED = "The API key is incomplete or mistyped: its checksum is wrong";
const READ_ONLY = "The API key may only read";

/** A generated key of 30 zeros, without its checksum. */
const UNCHECKED = "petstore_000000000000000000000000000000";

/** Credentials that are refused, by the message that says why. */
const REFUSED: Record<string, string[]> = {
  [INVALID]: [
    ...["x", `${KEY}x`, KEY.slice(1), KEY.toUpperCase(), `"${KEY}"`, "x".repeat(5000), `${UNCHECKED}2C8GjS`],
  ].map((key) => `Bearer ${key}`),
  [MALFORMED]: [
    ...[KEY, "Bearer", `Bearer ${KEY},${KEY}`, `Basic ${btoa("user:" + KEY)}`, `Basic ${KEY}`, `Bearer${KEY}`],
    ...[`Bearer\t${KEY}`, `Bearer Bearer ${KEY}`, `Bearer ${KEY} ${KEY}`, `Bearer ${KEY}, Bearer ${KEY}`],
  ],
  [MISTYPED]: ["petstore_", ...["00000", "0000000", "000001", "zzzzzz"].map((end) => UNCHECKED + end)]
    .map((key) => `Bearer ${key}`),
};

/** SHA-256 of "hashed-key". */
const HASHED = "sha256:a4ae87b73fa5645e6aee415a6f72be4dcbd99d057a7b40cb1b867c181d179260";

const PET = { name: "Rex", categoryId: 7 };

async function assertStatuses(api: Api, statuses: Readonly<Record<string, number>>): Promise<void> {
  // Twice, because the second check of a digest's key uses a cache.
  for (const [key, status] of [...Object.entries(statuses), ...Object.entries(statuses)]) {
    assert.equal((await api.get("/pets", { key })).status, status, key);
  }
}

const verify: PetstoreOptions["keys"] = (key) => {
  if (key === "later") return Promise.resolve(true);
  if (key === "reader" || key === "writer") return { id: "shop", readOnly: key === "reader" };
  return key === "yes" || (key === "truthy" && "yes" as unknown as boolean);
};

function assertChallenge(response: ApiResponse, code: "missing_api_key" | "invalid_api_key", request: string): void {
  assertResponse(response, { status: 401, code }, request);
  const challenge = code === "invalid_api_key" ? /^Bearer .*error="invalid_token"/ : /^Bearer (?!.*error=)/;
  assert.match(response.headers.get("www-authenticate") ?? "", challenge, request);
}

async function assertKeyNeeded(api: Api, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    for (const method of METHODS) {
      const response = await api.send(method, path, { key: null });
      const code = method === "HEAD" ? {} : { code: "missing_api_key" as const };
      assertResponse(response, { status: 401, ...code, headers: { "www-authenticate": REALM } }, path);
    }
  }
}

export const AUTH_CASES: HttpCase[] = [
  ...cases({ ...REQUIRED, ...ON_HOST }, {
    "answers 401 missing_api_key on every path and method without a key, unknown ones too": (api) =>
      assertKeyNeeded(api, PATHS),
  }),
  ...cases({ ...REQUIRED, ...ON_HOST, inProcess: "paths outside the base path may belong to another service" }, {
    "answers 401 missing_api_key on every path outside the base path": (api) => assertKeyNeeded(api, OUTSIDE),
  }),
  ...cases({ ...KEYS, ...ON_HOST }, {
    async "refuses two Authorization headers, even with one and the same key"(api) {
      const headers: [string, string][] = [1, 2].map(() => ["authorization", `Bearer ${api.key}`]);
      assert.equal((await api.get("/pets", { headers })).status, 401);
    },
  }),
  ...cases(KEYS, {
    async "tells a missing key from an invalid one"(api) {
      assertChallenge(await api.get("/pets", { key: null }), "missing_api_key", "no key");
      const { key } = api;
      const wrong = {
        "another key": "Bearer x",
        "a long key": `Bearer ${"x".repeat(5000)}`,
        "the key and one more character": `Bearer ${key}x`,
        "the key twice": `Bearer ${key} ${key}`,
        "the key in quotes": `Bearer "${key}"`,
      };
      for (const [what, authorization] of Object.entries(wrong)) {
        assertChallenge(await api.get("/pets", { headers: { authorization } }), "invalid_api_key", what);
      }
    },
    async "takes the scheme in any case"(api) {
      for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
        assert.equal((await api.get("/pets", { headers: { authorization: `${scheme} ${api.key}` } })).status, 200);
      }
    },
  }),
  ...cases({ ...KEYS, inProcess: "it tests the words of the messages" }, {
    async "answers 401 invalid_api_key to wrong, mistyped, malformed and other credentials, and says why"(api) {
      for (const [message, all] of Object.entries(REFUSED)) {
        for (const authorization of all) {
          const { status, headers, error } = await api.get("/pets", { headers: { authorization } });
          assert.equal(status, 401, authorization);
          // Another scheme gets no error code (RFC 6750 §3.1).
          const hasCode = authorization.startsWith("Bearer ");
          const challenge = hasCode ? `${REALM}, error="invalid_token", error_description="${message}"` : REALM;
          assert.equal(headers.get("www-authenticate"), challenge, authorization);
          assert.deepEqual(error, { code: "invalid_api_key", message, status: 401 }, authorization);
        }
      }
    },
  }),
  ...cases({
    ...RIGHTS,
    options: { keys: [{ key: "reader", readOnly: true, caller: "shop" }, { key: "writer", caller: "shop" }] },
  }, {
    async "answers 403 to a create with a key that may only read, after 404 and 405, and before the body"(api) {
      const challenge = `${REALM}, error="insufficient_scope", error_description="${READ_ONLY}"`;
      for (const body of [PET, "", "{", "x".repeat(900_000)]) {
        const { headers, error } = await api.post(body, { key: "reader" });
        assert.deepEqual(error, { code: "insufficient_scope", message: READ_ONLY, status: 403 });
        assert.equal(headers.get("www-authenticate"), challenge);
      }
      const sent = [["POST", "/unknown"], ["POST", "/pets/1"], ["DELETE", "/pets"]] as const;
      const refused = await Promise.all(sent.map(([method, path]) => api.send(method, path, { key: "reader" })));
      assert.deepEqual(refused.map(({ status }) => status), [404, 405, 405]);
      assert.equal((await api.get("/pets", { key: "reader" })).text, "[]");
      assert.equal((await api.post(PET, { key: "writer" })).status, 201);
      for (const path of ["/pets", "/pets/1"]) assert.equal((await api.get(path, { key: "reader" })).status, 200);
    },
  }),
  ...cases({ ...KEYS, options: { keys: new Set(["old-key", HASHED, "new-key"]) } }, {
    async "accepts several keys at once, in clear or as a SHA-256 digest"(api) {
      const refused = { [HASHED]: 401, [KEY]: 401, "hashed-keys": 401 };
      await assertStatuses(api, { "old-key": 200, "new-key": 200, "hashed-key": 200, ...refused });
    },
  }),
  ...cases({ ...RIGHTS, options: { keys: verify } }, {
    async "asks a verifier, lets in only those that it names or answers true to, and lets it decide who may only read"(
      api,
    ) {
      await assertStatuses(api, { yes: 200, later: 200, reader: 200, no: 401, truthy: 401 });
      assert.equal((await api.get("/pets", { key: null })).status, 401);
      for (const [key, status] of [["reader", 403], ["writer", 201]] as const) {
        assert.equal((await api.post(PET, { key })).status, status);
      }
    },
  }),
];
