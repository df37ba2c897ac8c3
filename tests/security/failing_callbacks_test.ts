/** Failing callbacks of an app: each spoils at most one response and never ends the process. */

import type { ErrorInfo } from "../../mod.ts";
import assert from "node:assert/strict";
import process from "node:process";
import test from "node:test";
import type { PetStore } from "../../lib/stores/store.ts";
import { IN_PROCESS, withApi } from "../support/api.ts";

const BROKEN = new Error("The app's own");

function reject(): Promise<never> {
  return Promise.reject(BROKEN);
}

/** The body of every response with status 500. */
const INTERNAL = { code: "internal_error", message: "An internal error occurred", status: 500 };

/** The unhandled rejections while `run` runs. Each would end a process of Deno or Node. */
async function unhandled(run: () => Promise<void>): Promise<unknown[]> {
  const reasons: unknown[] = [];
  const note = (reason: unknown) => reasons.push(reason);
  process.on("unhandledRejection", note);
  try {
    await run();
    // They are reported at the end of a turn of the event loop.
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setTimeout(resolve));
  } finally {
    process.off("unhandledRejection", note);
  }
  return reasons;
}

const BROKEN_LOGS: [how: string, onError: () => unknown][] = [
  ["throws", () => {
    throw BROKEN;
  }],
  ["rejects", reject],
  ["returns a thenable that rejects", () => ({ then: (_: unknown, no: (e: unknown) => void) => no(BROKEN) })],
  ["never settles", () => new Promise(() => {})],
];

for (const [how, onError] of BROKEN_LOGS) {
  test(`an onError or onResponse that ${how} spoils no response and causes no unhandled rejection`, async () => {
    const reasons = await unhandled(() =>
      withApi(IN_PROCESS, { onError, onResponse: onError, handleStoreOrders: reject }, async (api) => {
        for (let i = 0; i < 3; i++) assert.deepEqual((await api.get("/store/orders")).error, INTERNAL);
        assert.equal((await api.get("/pets")).text, "[]");
      })
    );
    assert.deepEqual(reasons, []);
  });
}

test("a rejecting verifier, store or handleStoreOrders gets 500 and causes no unhandled rejection", async () => {
  const methods = ["create", "createOnce", "get", "list", "check", "close"];
  const store = Object.fromEntries(methods.map((name) => [name, reject])) as unknown as PetStore;
  const told: unknown[] = [];
  const options = { store, handleStoreOrders: reject, onError: ({ error }: ErrorInfo) => told.push(error) };
  const reasons = await unhandled(async () => {
    await withApi(IN_PROCESS, options, async (api) => {
      const pet = { name: "Rex", categoryId: 7 };
      for (const path of ["/pets", "/pets/1", "/store/orders"]) assert.deepEqual((await api.get(path)).error, INTERNAL);
      for (const parts of [{}, { headers: { "idempotency-key": "a" } }]) {
        assert.deepEqual((await api.post(pet, parts)).error, INTERNAL);
      }
    });
    await withApi(IN_PROCESS, { ...options, keys: reject }, async (api) => {
      assert.deepEqual((await api.get("/pets")).error, INTERNAL);
    });
  });
  assert.deepEqual([reasons, told.length], [[], 6]);
});
