/** Options of createPetstore() whose effect no store and no host can change. */

import type { PetstoreOptions } from "../../../mod.ts";
import assert from "node:assert/strict";
import { addition, assertResponse, cases, type HttpCase } from "../../../packages/conformance/lib/http/case.ts";
import { assertJson } from "../../../packages/conformance/lib/http/exact.ts";
import { REX, withKey } from "../../../packages/conformance/lib/http/idempotency.ts";
import { FORGETFUL } from "../descriptions.ts";

const ONCE = addition("pets.create.idempotency", "A create that is repeated with its Idempotency-Key makes one pet");
const ORDERS = addition("store.orders", "GET /store/orders is 501 unless the app answers it");
const DEFAULT_STATUS = addition("pets.create", "The default of status is available");
const SAFE_FAILURES = addition("errors", "The cause of an unexpected failure is not sent");

/** What an app may return in place of a response, by the query. */
const UNSENDABLE: Record<string, () => unknown> = {
  nothing: () => undefined,
  text: () => "[]",
  error: () => Response.error(),
  "a body that was read": async () => {
    const response = new Response("[]");
    await response.text();
    return response;
  },
};

const fail = () => {
  throw new Error("secret");
};

/** An app that fails in all that the petstore asks of it. */
const FAILING: Partial<PetstoreOptions> = {
  keys: (key) => key === "accepted" || (key === "rejects" ? Promise.reject(new Error("secret")) : fail()),
  handleStoreOrders: () => Promise.reject(new Error("secret")),
  onError: fail,
};

export const OPTION_CASES: readonly HttpCase[] = [
  ...cases({ ...DEFAULT_STATUS, options: { defaultStatus: "pending" } }, {
    async "takes the option defaultStatus for a status that was left out"(api) {
      assert.equal((await api.post({ name: "Rex", categoryId: 7 })).pet.status, "pending");
    },
  }),
  ...cases({ ...ONCE, options: { store: FORGETFUL } }, {
    async "answers 501 to an Idempotency-Key where the store cannot remember it"(api) {
      const expected = { status: 501, code: "not_implemented", message: /Idempotency-Key/ } as const;
      assertResponse(await api.post(REX, withKey("a")), expected);
      assert.equal((await api.post(REX)).status, 201);
    },
  }),
  ...cases(
    {
      ...ORDERS,
      options: { handleStoreOrders: (request) => Promise.resolve(Response.json({ method: request.method })) },
    },
    {
      async "lets the app answer store orders, after the key check"(api) {
        assert.deepEqual((await api.get("/store/orders")).json, { method: "GET" });
        assert.equal((await api.get("/store/orders", { key: null })).status, 401);
        assert.equal((await api.send("POST", "/store/orders")).status, 405);
        const head = await api.send("HEAD", "/store/orders");
        assertJson(head);
        assert.deepEqual([head.status, head.text], [200, ""]);
      },
    },
  ),
  ...cases({
    ...SAFE_FAILURES,
    options: {
      handleStoreOrders: ({ url }) => UNSENDABLE[decodeURIComponent(new URL(url).search.slice(1))]!() as Response,
      onError: () => {},
    },
  }, {
    async "answers 500 if the app returns something else than a response with an unread body to store orders"(api) {
      for (const what of Object.keys(UNSENDABLE)) {
        assertResponse(await api.get(`/store/orders?${what}`), { status: 500, code: "internal_error" }, what);
      }
    },
  }),
  ...cases({ ...SAFE_FAILURES, options: FAILING }, {
    async "answers 500 and nothing else when the app's key verifier, store orders or error log throw"(api) {
      for (const [key, path] of [["throws", "/pets"], ["rejects", "/pets"], ["accepted", "/store/orders"]] as const) {
        const { error } = await api.get(path, { key });
        assert.deepEqual(error, { code: "internal_error", message: "An internal error occurred", status: 500 });
      }
    },
  }),
];
