/** The cases of authentication: section 5 of the specification, and RFC 6750. */

import type { Api } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, ON_HOST } from "./case.ts";
import { ALLOWED } from "./routes.ts";

const REQUIRED = addition("auth", "Every path needs a key, unknown ones too, and 401 has WWW-Authenticate (RFC 6750)");
const KEYS = addition("auth", "A key is Authorization: Bearer <key>, with Bearer in any letter case");

const PATHS = [...Object.keys(ALLOWED), "/unknown"];
const OUTSIDE = ["//v2/pets", "//"];
const METHODS = ["GET", "POST", "HEAD", "OPTIONS", "DELETE"];
export const REALM = 'Bearer realm="petstore"';
async function assertKeyNeeded(api: Api, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    for (const method of METHODS) {
      const response = await api.send(method, path, { key: null });
      const code = method === "HEAD" ? {} : { code: "missing_api_key" as const };
      assertResponse(response, { status: 401, ...code }, path);
      // Another server has a realm of its own. Without credentials, the challenge has no error (RFC 6750 §3.1).
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
  ...cases({ ...REQUIRED, ...ON_HOST, isOwn: true }, {
    "answers 401 missing_api_key on every path outside the base path": (api) => assertKeyNeeded(api, OUTSIDE),
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
        assertStatus(
          await api.get("/pets", { headers: { authorization: `${scheme} ${api.key}` } }),
          200,
          `the scheme ${scheme}`,
        );
      }
    },
  }),
];
