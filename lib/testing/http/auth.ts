/** Section 5 of the specification, and RFC 6750. */

import { type Api, type ApiResponse, KEY } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, ON_HOST } from "./case.ts";
import { ALLOWED } from "./routes.ts";

const REQUIRED = addition("auth", "Every path needs a key, unknown ones too, and 401 has WWW-Authenticate (RFC 6750)");
const KEYS = addition("auth", "A key is Authorization: Bearer <key>, with Bearer in any letter case");

const PATHS = [...Object.keys(ALLOWED), "/unknown"];
const OUTSIDE = ["//v2/pets", "//"];
const METHODS = ["GET", "POST", "HEAD", "OPTIONS", "DELETE"];
export const REALM = 'Bearer realm="petstore"';
const MISSING = "An API key is required, as Authorization: Bearer <API_KEY>";
const INVALID = "The API key is not valid";
const MALFORMED = "The Authorization header must be Bearer <API_KEY>: the word, a space and the key alone";
const MISTYPED = "The API key is incomplete or mistyped: its checksum is wrong";

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

function assertChallenge(response: ApiResponse, code: "missing_api_key" | "invalid_api_key", request: string): void {
  assertResponse(response, { status: 401, code }, request);
  const challenge = code === "invalid_api_key" ? /^Bearer .*error="invalid_token"/ : /^Bearer (?!.*error=)/;
  const told = response.headers.get("www-authenticate") ?? "none";
  const wanted = code === "invalid_api_key" ? `Bearer with error="invalid_token"` : "Bearer without an error";
  assert.match(told, challenge, `The challenge after ${request} must be ${wanted}`);
}

async function assertKeyNeeded(api: Api, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    for (const method of METHODS) {
      const response = await api.send(method, path, { key: null });
      const code = method === "HEAD" ? {} : { code: "missing_api_key" as const };
      assertResponse(response, { status: 401, ...code }, path);
      // Another server has a realm of its own. Without credentials, there is no error (RFC 6750 §3.1).
      const challenge = response.isOwn ? new RegExp(`^${REALM}$`) : /^Bearer (?!.*error=)/;
      const told = response.headers.get("www-authenticate") ?? "none";
      assert.match(told, challenge, `The challenge of ${method} ${path} must be Bearer without an error`);
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
      assertStatus(await api.get("/pets", { headers }), 401, "two Authorization headers");
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
        assertStatus(
          await api.get("/pets", { headers: { authorization: `${scheme} ${api.key}` } }),
          200,
          `the scheme ${scheme}`,
        );
      }
    },
  }),
  ...cases({ ...KEYS, inProcess: "it tests the words of the messages" }, {
    async "answers 401 to missing, wrong, mistyped, malformed and other credentials, and says why"(api) {
      const { error } = await api.get("/pets", { key: null });
      assert.deepEqual(error, { code: "missing_api_key", message: MISSING, status: 401 }, "The error without a key");
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
];
