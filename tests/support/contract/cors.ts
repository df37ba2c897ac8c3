/** CORS: what a page of another origin may read and send. */

import assert from "node:assert/strict";
import type { ApiResponse } from "../../../packages/conformance/lib/http/api.ts";
import { addition, cases, type HttpCase } from "../../../packages/conformance/lib/http/case.ts";

const SHARING = addition("cors", "CORS is off until origins are listed, and credentials are never allowed");

const ORIGIN = "https://app.example";
const OTHER = "https://other.example";
const PREFLIGHT = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization",
};

/**
 * The grants that a page needs for every request that the API takes. They last for at most two hours, which is the
 * limit of Chromium.
 */
const PREFLIGHT_GRANTS = {
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers":
    "Authorization, Content-Type, Idempotency-Key, If-None-Match, Traceparent, Tracestate, X-Request-Id",
  "access-control-max-age": "7200",
};
/** The headers that a page may read if a response has them. */
const EXPOSED = [
  "deprecation",
  "etag",
  "idempotency-replayed",
  "link",
  "location",
  "retry-after",
  "sunset",
  "www-authenticate",
  "x-request-id",
];

/** A name, the origins that an app lists, those of requests, and what the responses grant to them. */
type CorsRule = [name: string, listed: string[] | undefined, origins: string[], granted: string | null];

const RULES: readonly CorsRule[] = [
  ["grants nothing to other origins by default", undefined, [ORIGIN], null],
  ["sends a listed origin the CORS headers that it needs on every response", [OTHER, ORIGIN], [ORIGIN], ORIGIN],
  ["grants every origin with *, and reflects none", ["*"], [ORIGIN], "*"],
];

const RULE_CASES = RULES.flatMap(([name, listed, origins, granted]) =>
  cases({
    ...SHARING,
    dependsOn: granted === ORIGIN ? ["host"] : [],
    ...(listed && { options: { cors: { origins: listed } } }),
  }, {
    async [name](api) {
      for (const origin of origins) {
        const preflight = await api.send("OPTIONS", "/pets", { key: null, headers: { ...PREFLIGHT, origin } });
        const responses = [preflight];
        responses.push(await api.post({ name: "Rex", categoryId: 1 }, { headers: { origin } }));
        for (const path of ["/pets?limit=1", "/pets/1", "/cats"]) {
          responses.push(await api.get(path, { headers: { origin } }));
        }
        responses.push(await api.get("/pets", { key: null, headers: { origin } }));
        assert.deepEqual(
          responses.map(({ status }) => status),
          // A preflight without a grant may have any status, because the browser stops there anyway.
          [granted === null ? preflight.status : 204, 201, 200, 200, 404, 401],
          "The statuses of a preflight, a create, a list, a pet, an unknown path and a list without a key",
        );
        for (const response of responses) assertGranted(response, granted, listed);
        if (granted !== null) assertPreflight(preflight);
      }
    },
  })
);

function assertPreflight({ headers }: ApiResponse): void {
  for (const [name, value] of Object.entries(PREFLIGHT_GRANTS)) {
    assert.equal(headers.get(name), value, `The field ${name} of a preflight`);
  }
}

function assertGranted({ headers }: ApiResponse, granted: string | null, listed: string[] | undefined): void {
  assert.equal(headers.get("access-control-allow-origin"), granted, "The field Access-Control-Allow-Origin");
  assert.equal(headers.get("access-control-allow-credentials"), null, "The field Access-Control-Allow-Credentials");
  if (!listed?.includes("*")) assert.equal(headers.get("vary"), listed ? "Origin" : null, "The field Vary");
  const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
  if (granted === null) return assert.deepEqual(names, [], "The fields of CORS");
  const exposed = EXPOSED.filter((name) => headers.has(name));
  assert.deepEqual(exposedBy(headers), exposed, "The exposed fields");
  assert.equal(
    names.includes("access-control-expose-headers"),
    exposed.length > 0,
    "Whether there is Access-Control-Expose-Headers",
  );
}

function exposedBy(headers: Headers): string[] {
  const names = headers.get("access-control-expose-headers") ?? "";
  return names.toLowerCase().split(/, */).filter(Boolean).sort();
}

/** What an app's own response must lose, and what it may keep. */
const OWN = {
  "access-control-allow-origin": "https://evil.example",
  "access-control-allow-credentials": "true",
  "access-control-expose-headers": "X-Total",
  "retry-after": "1",
  "x-link": "1",
  "link-hint": "1",
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
      assert.deepEqual(exposedBy(headers), [...listed && granted !== null ? ["retry-after"] : [], "x-total"]);
    },
  })
);

export const OWN_CORS_CASES: readonly HttpCase[] = [
  ...RULE_CASES,
  ...OWN_CASES,
  ...cases({ ...SHARING, options: { cors: { origins: [ORIGIN, OTHER] } } }, {
    async "grants a response to the origin of each request, however often it was sent to another"(api) {
      const origins = [ORIGIN, ORIGIN, OTHER, undefined, OTHER, "null", ORIGIN];
      for (const path of ["/pets", "/pets", "/pets?limit=01"]) {
        for (const origin of origins) {
          const response = await api.get(path, { headers: { ...origin && { origin } } });
          assertGranted(response, [ORIGIN, OTHER].find((listed) => listed === origin) ?? null, [ORIGIN, OTHER]);
        }
      }
    },
  }),
];
