/** Options of createPetstore() whose effect no store and no host can change. */

import assert from "node:assert/strict";
import { addition, assertResponse, cases, type HttpCase } from "../../../packages/conformance/lib/http/case.ts";
import { assertJson, petOf } from "../../../packages/conformance/lib/http/exact.ts";
import { REX, withKey } from "../../../packages/conformance/lib/http/idempotency.ts";
import { FORGETFUL } from "../descriptions.ts";

const ONCE = addition("pets.create.idempotency", "A create that is repeated with its Idempotency-Key makes one pet");
const ORDERS = addition("store.orders", "GET /store/orders is 501 unless the app answers it");
const DEFAULT_STATUS = addition("pets.create", "The default of status is available");

export const OPTION_CASES: readonly HttpCase[] = [
  ...cases({ ...DEFAULT_STATUS, options: { defaultStatus: "pending" } }, {
    async "takes the option defaultStatus for a status that was left out"(api) {
      assert.equal(petOf(await api.post({ name: "Rex", categoryId: 7 }), 201).status, "pending");
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
];
