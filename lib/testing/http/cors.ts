import type { ApiResponse } from "./api.ts";
import { assert } from "./assert.ts";
import { addition, cases, type HttpCase, NotApplicable, ON_HOST } from "./case.ts";

const SHARING = addition("cors", "CORS is off until origins are listed, and credentials are never allowed");

const ORIGIN = "https://app.example";
const OTHER = "https://other.example";
const PREFLIGHT = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization",
};

/** The origins that an app lists, those of requests, and what the responses grant to them. */
type CorsRule = [name: string, listed: string[] | undefined, origins: string[], granted: string | null];

const CORS_RULES: readonly CorsRule[] = [
  ["grants nothing to other origins by default", undefined, [ORIGIN], null],
  ["grants every origin with *, and reflects none", ["*"], [ORIGIN], "*"],
  ["grants nothing to an origin that is not listed", [ORIGIN], [
    ...["https://evil.example", "null", `${ORIGIN}.evil.example`, ORIGIN.replace("https", "http"), `${ORIGIN}:8443`],
  ], null],
  ["sends a listed origin the CORS headers that it needs on every response", [OTHER, ORIGIN], [ORIGIN], ORIGIN],
];

export const CORS_CASES: readonly HttpCase[] = CORS_RULES.flatMap(([name, listed, origins, granted]) =>
  cases({
    ...SHARING,
    ...(granted === ORIGIN ? ON_HOST : {}),
    ...(listed && { options: { cors: { origins: listed } } }),
  }, {
    async [name](api) {
      for (const origin of origins) {
        const preflight = await api.send("OPTIONS", "/pets", { key: null, headers: { ...PREFLIGHT, origin } });
        const lists = preflight.status === 204 || preflight.headers.get("vary") === "Origin";
        if (!listed && lists) throw new NotApplicable("the server lists origins");
        const responses = [preflight];
        for (const path of ["/pets", "/cats"]) responses.push(await api.get(path, { headers: { origin } }));
        responses.push(await api.get("/pets", { key: null, headers: { origin } }));
        assert.deepEqual(responses.map(({ status }) => status), [granted === null ? 401 : 204, 200, 404, 401]);
        for (const response of responses) assertGranted(response, granted, listed);
        if (granted !== null) assertPreflight(preflight);
      }
    },
  })
);

function assertPreflight({ headers }: ApiResponse): void {
  assert.match(headers.get("access-control-allow-methods") ?? "", /POST/);
  assert.match(headers.get("access-control-allow-headers") ?? "", /Authorization/);
}

function assertGranted({ headers }: ApiResponse, granted: string | null, listed: string[] | undefined): void {
  assert.equal(headers.get("access-control-allow-origin"), granted);
  assert.equal(headers.get("access-control-allow-credentials"), null);
  if (!listed?.includes("*")) assert.equal(headers.get("vary"), listed ? "Origin" : null);
  const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
  if (granted === null) return assert.deepEqual(names, []);
  const exposed = "Link, Location, ETag, Deprecation, Sunset, Retry-After, WWW-Authenticate";
  assert.ok(headers.get("access-control-expose-headers")?.includes(exposed));
}
