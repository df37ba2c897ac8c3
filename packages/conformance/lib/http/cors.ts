import type { ApiResponse } from "./api.ts";
import { assert } from "./assert.ts";
import { addition, cases, type HttpCase, NotApplicable, ON_HOST } from "./case.ts";

export const SHARING = addition("cors", "CORS is off until origins are listed, and credentials are never allowed");

export const ORIGIN = "https://app.example";
export const OTHER = "https://other.example";
export const PREFLIGHT = {
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
export const EXPOSED = [
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
export type CorsRule = [name: string, listed: string[] | undefined, origins: string[], granted: string | null];

const CORS_RULES: readonly CorsRule[] = [
  ["grants nothing to other origins by default", undefined, [ORIGIN], null],
  ["sends a listed origin the CORS headers that it needs on every response", [OTHER, ORIGIN], [ORIGIN], ORIGIN],
];

/** Makes a case of each rule. */
export function casesOf(rules: readonly CorsRule[]): HttpCase[] {
  return rules.flatMap(([name, listed, origins, granted]) =>
    cases({
      ...SHARING,
      ...(granted === ORIGIN ? ON_HOST : {}),
      ...(listed && { options: { cors: { origins: listed } } }),
    }, {
      async [name](api) {
        for (const origin of origins) {
          const preflight = await api.send("OPTIONS", "/pets", { key: null, headers: { ...PREFLIGHT, origin } });
          const lists = preflight.headers.has("access-control-allow-origin") ||
            preflight.headers.get("vary") === "Origin";
          if (!listed && lists) throw new NotApplicable("the server lists origins");
          const responses = [preflight];
          for (const path of ["/pets", "/cats"]) responses.push(await api.get(path, { headers: { origin } }));
          responses.push(await api.get("/pets", { key: null, headers: { origin } }));
          assert.deepEqual(
            responses.map(({ status }) => status),
            // A preflight without a grant may have any status, because the browser stops there anyway.
            [granted === null ? preflight.status : 204, 200, 404, 401],
            "The statuses of a preflight, a list, an unknown path and a list without a key",
          );
          for (const response of responses) assertGranted(response, granted, listed);
          if (granted !== null) assertPreflight(preflight);
        }
      },
    })
  );
}

export const CORS_CASES: readonly HttpCase[] = casesOf(CORS_RULES);

function assertPreflight({ headers }: ApiResponse): void {
  for (const [name, value] of Object.entries(PREFLIGHT_GRANTS)) {
    assert.equal(headers.get(name), value, `The field ${name} of a preflight`);
  }
}

export function assertGranted({ headers }: ApiResponse, granted: string | null, listed: string[] | undefined): void {
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

export function exposedBy(headers: Headers): string[] {
  const names = headers.get("access-control-expose-headers") ?? "";
  return names.toLowerCase().split(/, */).filter(Boolean).sort();
}
