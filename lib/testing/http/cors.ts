import type { ApiResponse } from "./api.ts";
import { assert } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, NotApplicable, ON_HOST } from "./case.ts";

const SHARING = addition("cors", "CORS is off until origins are listed, and credentials are never allowed");

const ORIGIN = "https://app.example";
const OTHER = "https://other.example";
const PREFLIGHT = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization",
};

/** What a page needs for every request that the API takes, for at most two hours, which is the limit of Chromium. */
const PREFLIGHT_GRANTS = {
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id",
  "access-control-max-age": "7200",
};
const EXPOSED = "Link, Location, ETag, Deprecation, Sunset, Retry-After, WWW-Authenticate, Idempotency-Replayed, " +
  "X-Request-Id, RateLimit, RateLimit-Policy";

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

const RULE_CASES = CORS_RULES.flatMap(([name, listed, origins, granted]) =>
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
  for (const [name, value] of Object.entries(PREFLIGHT_GRANTS)) assert.equal(headers.get(name), value);
}

function assertGranted({ headers }: ApiResponse, granted: string | null, listed: string[] | undefined): void {
  assert.equal(headers.get("access-control-allow-origin"), granted);
  assert.equal(headers.get("access-control-allow-credentials"), null);
  if (!listed?.includes("*")) assert.equal(headers.get("vary"), listed ? "Origin" : null);
  const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
  if (granted === null) return assert.deepEqual(names, []);
  assert.equal(headers.get("access-control-expose-headers"), EXPOSED);
}

/** What an app's own response must lose, and what it may keep. */
const OWN = {
  "access-control-allow-origin": "https://evil.example",
  "access-control-allow-credentials": "true",
  "access-control-expose-headers": "X-Total",
  vary: "Accept",
};

/** The origins that an app with such a response lists, the origin of a request, and what the response then grants. */
type OwnRule = [name: string, listed: string[] | undefined, origin: string, granted: string | null];

const OWN_RULES: readonly OwnRule[] = [
  ["replaces the grants of an app's own response", [ORIGIN], ORIGIN, ORIGIN],
  ["removes the grants of an app's own response to an origin that is not listed", [ORIGIN], OTHER, null],
  ["replaces the grants of an app's own response by *", ["*"], OTHER, "*"],
  ["leaves an app's own response as it is by default", undefined, OTHER, OWN["access-control-allow-origin"]],
];

const handleStoreOrders = () => new Response("[]", { status: 202, headers: OWN });

const OWN_CASES = OWN_RULES.flatMap(([name, listed, origin, granted]) =>
  cases({ ...SHARING, options: { handleStoreOrders, ...(listed && { cors: { origins: listed } }) } }, {
    async [name](api) {
      const { status, headers, text } = await api.get("/store/orders", { headers: { origin } });
      const vary = listed?.includes(ORIGIN) ? "Accept, Origin" : "Accept";
      assert.deepEqual([status, text, headers.get("vary")], [202, "[]", vary]);
      assert.equal(headers.get("access-control-allow-origin"), granted);
      assert.equal(headers.get("access-control-allow-credentials"), listed ? null : "true");
      const exposed = listed && granted !== null ? `X-Total, ${EXPOSED}` : "X-Total";
      assert.equal(headers.get("access-control-expose-headers"), exposed);
    },
  })
);

export const CORS_CASES: readonly HttpCase[] = [
  ...RULE_CASES,
  ...OWN_CASES,
  ...cases({ ...SHARING, options: { cors: { origins: [ORIGIN] } } }, {
    async "asks for a key unless OPTIONS has Origin and Access-Control-Request-Method"(api) {
      const { "access-control-request-method": method } = PREFLIGHT;
      const asked = { "access-control-request-method": method, origin: ORIGIN };
      const requests: [method: string, headers: Record<string, string>][] = [
        ["OPTIONS", { origin: ORIGIN }],
        ["OPTIONS", { "access-control-request-method": method }],
        ["GET", asked],
      ];
      for (const [method, headers] of requests) {
        const response = await api.send(method, "/pets", { key: null, headers });
        assertResponse(response, { status: 401, code: "missing_api_key", headers: { vary: "Origin" } });
      }
      assert.equal((await api.send("OPTIONS", "/pets", { key: null, headers: asked })).text, "");
    },
  }),
];
