/** CORS: what a page of another origin may read and send. tests/security has what it must not. */

import assert from "node:assert/strict";
import type { ApiResponse } from "../../../packages/conformance/lib/http/api.ts";
import type { OwnCase } from "./all.ts";

const ORIGIN = "https://app.example";
const OTHER = "https://other.example";
const PREFLIGHT = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization, cookie, x-evil",
  "access-control-request-private-network": "true",
};

/**
 * The grants that a page needs for every request that the API takes. They last for at most two
 * hours, which is the limit of Chromium.
 */
const PREFLIGHT_GRANTS = {
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers":
    "Authorization, Content-Type, Idempotency-Key, If-None-Match, Traceparent, Tracestate, X-Request-Id",
  "access-control-max-age": "7200",
};
/** The headers that a page may read if a response has them. */
const EXPOSED =
  /^(deprecation|etag|idempotency-replayed|link|location|retry-after|sunset|www-authenticate|x-request-id)$/;

/** A name, the origins that an app lists, and what its responses grant. */
const RULES: readonly [name: string, listed: string[] | undefined, granted: string | null][] = [
  ["grants nothing to other origins by default", undefined, null],
  ["sends a listed origin the CORS headers that it needs on every response", [OTHER, ORIGIN], ORIGIN],
  ["grants every origin with *, and reflects none", ["*"], "*"],
];

const RULE_CASES = RULES.map(([name, listed, granted]): OwnCase => ({
  name,
  ...(listed && { options: { cors: { origins: listed } } }),
  async run(api) {
    const headers = { origin: ORIGIN };
    const preflight = await api.send("OPTIONS", "/pets", { key: null, headers: { ...PREFLIGHT, ...headers } });
    const responses = [preflight, await api.post({ name: "Rex", categoryId: 1 }, { headers })];
    for (const path of ["/pets?limit=1", "/pets/1", "/cats"]) responses.push(await api.get(path, { headers }));
    responses.push(await api.get("/pets", { key: null, headers }));
    assert.deepEqual(responses.map(({ status }) => status), [204, 201, 200, 200, 404, 401]);
    const once = { headers: { ...headers, "idempotency-key": "cors" } };
    for (let time = 0; time < 2; time++) responses.push(await api.post({ name: "Rex", categoryId: 1 }, once));
    for (const response of responses) assertGranted(response, granted, listed);
    if (granted === null) return;
    for (const [name, value] of Object.entries(PREFLIGHT_GRANTS)) assert.equal(preflight.headers.get(name), value);
  },
}));

function assertGranted({ headers }: ApiResponse, granted: string | null, listed: string[] | undefined): void {
  if (!listed?.includes("*")) assert.equal(headers.get("vary"), listed ? "Origin" : null);
  const names = [...headers.keys()];
  const exposed = names.filter((name) => EXPOSED.test(name)).join();
  const allowed = ["origin", "credentials", "private-network"];
  const seen = allowed.map((name) => headers.get(`access-control-allow-${name}`));
  assert.deepEqual([...seen, exposedBy(headers)], [granted, null, null, granted === null ? "" : exposed]);
  if (granted === null) assert.ok(!names.some((name) => name.startsWith("access-control-")));
}

function exposedBy(headers: Headers): string {
  const names = headers.get("access-control-expose-headers") ?? "";
  return names.toLowerCase().split(/, */).sort().join();
}

/** What an app's own response must lose, and what it may keep. */
const OWN = {
  "access-control-allow-origin": "https://evil.example",
  "access-control-allow-credentials": "true",
  "access-control-expose-headers": "X-Total",
  "retry-after": "1",
  vary: "Accept",
};

/** The origins that an app with such a response lists, the origin of a request, and what the response then grants. */
const OWN_RULES: readonly [listed: string[] | undefined, origin: string, granted: string | null][] = [
  [[ORIGIN], ORIGIN, ORIGIN],
  [[ORIGIN], OTHER, null],
  [["*"], OTHER, "*"],
  [undefined, OTHER, OWN["access-control-allow-origin"]],
];

const handleStoreOrders = () => new Response("[]", { status: 202, headers: OWN });

const OWN_CASES = OWN_RULES.map(([listed, origin, granted]): OwnCase => ({
  name: `makes the grants of an app's own response to ${origin} its own, with ${listed ?? "none"} listed`,
  options: { handleStoreOrders, ...(listed && { cors: { origins: listed } }) },
  async run(api) {
    const { status, headers, text } = await api.get("/store/orders", { headers: { origin } });
    const vary = listed?.includes(ORIGIN) ? "Accept, Origin" : "Accept";
    assert.deepEqual([status, text, headers.get("vary")], [202, "[]", vary]);
    assert.equal(headers.get("access-control-allow-origin"), granted);
    assert.equal(headers.get("access-control-allow-credentials"), listed ? null : "true");
    assert.equal(exposedBy(headers), listed && granted !== null ? "retry-after,x-total" : "x-total");
  },
}));

export const OWN_CORS_CASES: readonly OwnCase[] = [
  ...RULE_CASES,
  ...OWN_CASES,
  {
    name: "grants a response to the origin of each request, however often it was sent to another",
    options: { cors: { origins: [ORIGIN, OTHER] } },
    async run(api) {
      for (const origin of [ORIGIN, ORIGIN, OTHER, undefined, OTHER, "null", ORIGIN]) {
        const response = await api.get("/pets", { headers: { ...origin && { origin } } });
        assertGranted(response, [ORIGIN, OTHER].find((listed) => listed === origin) ?? null, [ORIGIN, OTHER]);
      }
    },
  },
];
