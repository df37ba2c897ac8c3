/** Options of createPetstore() whose effect no store and no host can change. */

import assert from "node:assert/strict";
import { assertResponse } from "../../../packages/conformance/lib/http/responses.ts";
import type { OwnCase } from "./all.ts";
import { assertJson, petOf } from "../../../packages/conformance/lib/http/responses.ts";
import { REX, withKey } from "../../../packages/conformance/lib/http/idempotency.ts";
import { FORGETFUL } from "../descriptions.ts";

export const OPTION_CASES: readonly OwnCase[] = [
  {
    name: "takes the option defaultStatus for a status that was left out",
    options: { defaultStatus: "pending" },
    async run(api) {
      assert.equal(petOf(await api.post({ name: "Rex", categoryId: 7 }), 201).status, "pending");
    },
  },
  {
    name: "remembers an Idempotency-Key for the configured time",
    options: { idempotencyRetentionMs: 1 },
    async run(api) {
      const ids = new Set<bigint>();
      // A millisecond passes between two of these requests sooner or later.
      while (ids.size < 3) ids.add(petOf(await api.post(REX, withKey("a")), 201).id);
    },
  },
  {
    name: "answers 501 to an Idempotency-Key where the store cannot remember it",
    options: { store: FORGETFUL },
    async run(api) {
      const refused = await api.post(REX, withKey("a"));
      assertResponse(refused, 501, "not_implemented", { message: /Idempotency-Key/ });
      assert.equal((await api.post(REX)).status, 201);
    },
  },
  {
    name: "lets the app answer store orders, after the key check",
    options: { handleStoreOrders: (request) => Promise.resolve(Response.json({ method: request.method })) },
    async run(api) {
      assert.equal((await api.get("/store/orders")).text, '{"method":"GET"}');
      assert.equal((await api.get("/store/orders", { key: null })).status, 401);
      assert.equal((await api.send("POST", "/store/orders")).status, 405);
      const head = await api.send("HEAD", "/store/orders");
      assertJson(head);
      assert.deepEqual([head.status, head.text], [200, ""]);
    },
  },
];
