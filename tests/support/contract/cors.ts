import assert from "node:assert/strict";
import { cases, type HttpCase } from "../../../packages/conformance/lib/http/case.ts";
import {
  assertGranted,
  casesOf,
  type CorsRule,
  EXPOSED,
  exposedBy,
  ORIGIN,
  OTHER,
  SHARING,
} from "../../../packages/conformance/lib/http/cors.ts";

const RULES: readonly CorsRule[] = [
  ["grants every origin with *, and reflects none", ["*"], [ORIGIN], "*"],
];

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
  ...casesOf(RULES),
  ...OWN_CASES,
  ...cases({
    ...SHARING,
    options: {
      cors: { origins: ["*"] },
      requestIds: "all",
    },
  }, {
    async "lets pages read each header that a response has, and names no other"(api) {
      const headers = { origin: ORIGIN };
      const responses = [await api.post({ name: "Rex", categoryId: 1 }, { headers })];
      for (const path of ["/pets?limit=1", "/pets/1", "/pets"]) {
        responses.push(await api.get(path, { headers }));
      }
      responses.push(await api.get("/pets", { key: null, headers }));
      for (const response of responses) assertGranted(response, "*", ["*"]);
      const exposed = new Set(responses.flatMap(({ headers }) => exposedBy(headers)));
      assert.deepEqual(
        [...exposed].sort(),
        EXPOSED.filter((name) => !["idempotency-replayed", "retry-after"].includes(name)),
      );
    },
  }),
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
