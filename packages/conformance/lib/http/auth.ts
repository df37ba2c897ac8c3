/** The cases of authentication: section 5 of the specification, and RFC 6750. */

import type { Api, RequestParts } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, ON_HOST } from "./case.ts";
import { wrongCredentials } from "./generated/tokens.ts";
import { ALLOWED } from "./routes.ts";

const REQUIRED = addition("auth", "Every path needs a key, unknown ones too, and 401 has WWW-Authenticate (RFC 6750)");
const KEYS = addition("auth", "A key is Authorization: Bearer <key>, with Bearer in any letter case");

const PATHS = [...Object.keys(ALLOWED), "/unknown"];
const OUTSIDE = ["//v2/pets", "//"];
const METHODS = ["GET", "POST", "HEAD", "OPTIONS", "DELETE"];
export const REALM = 'Bearer realm="petstore"';

/** Sends requests with these credentials, or without any, and requires a challenge in each response. */
async function assertChallenged(api: Api, paths: readonly string[], authorization?: string): Promise<void> {
  const parts: RequestParts = authorization === undefined ? { key: null } : { headers: { authorization } };
  // Without credentials, or with those of another scheme, the challenge has no error (RFC 6750 §3.1).
  const wanted = /^Bearer /i.test(authorization ?? "") ? /^Bearer .*error="invalid_token"/ : /^Bearer (?!.*error=)/;
  for (const path of paths) {
    for (const method of METHODS) {
      const response = await api.send(method, path, parts);
      const code = authorization === undefined ? "missing_api_key" : "invalid_api_key";
      assertResponse(response, { status: 401, ...method === "HEAD" ? {} : { code } }, `${method} ${path}`);
      const told = response.headers.get("www-authenticate") ?? "none";
      assert.match(told, wanted, `The challenge of ${method} ${path} must match ${wanted}`);
    }
  }
}

export const AUTH_CASES: HttpCase[] = [
  ...cases({ ...REQUIRED, ...ON_HOST }, {
    "answers 401 missing_api_key on every path and method without a key, unknown ones too": (api) =>
      assertChallenged(api, PATHS),
    async "answers 401 invalid_api_key to wrong keys and other schemes"(api) {
      const some = api.random.shuffle(wrongCredentials(api.key, api.random)).slice(0, 7);
      for (const authorization of [`Bearer x${api.key}`, ...some]) {
        await assertChallenged(api, ["/pets", "/pets?status=sold", "/pets/1"], authorization);
      }
    },
  }),
  ...cases({ ...REQUIRED, ...ON_HOST, isOwn: true }, {
    "answers 401 missing_api_key on every path outside the base path": (api) => assertChallenged(api, OUTSIDE),
  }),
  ...cases({ ...KEYS, ...ON_HOST }, {
    async "refuses two Authorization headers, even with one and the same key"(api) {
      const headers: [string, string][] = [1, 2].map(() => ["authorization", `Bearer ${api.key}`]);
      assertStatus(await api.get("/pets", { headers }), 401, "two Authorization headers");
    },
  }),
  ...cases(KEYS, {
    async "takes the scheme in any case"(api) {
      for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
        const headers = { authorization: `${scheme} ${api.key}` };
        assertStatus(await api.get("/pets", { headers }), 200, `the scheme ${scheme}`);
      }
    },
  }),
];
