/** Failing callbacks of an app: each spoils at most one response and never ends the process. */

import type { ErrorInfo } from "../../mod.ts";
import assert from "node:assert/strict";
import process from "node:process";
import test from "node:test";
import { createPetstore, type PetStore } from "../../mod.ts";
import { IN_PROCESS, withApi } from "../support/api.ts";

const KEY = "pk_test";
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
  [
    "returns a thenable that rejects",
    () => ({ then: (_: unknown, no: (e: unknown) => void) => no(BROKEN) }),
  ],
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
  const broken: PetStore = {
    create: reject,
    createOnce: reject,
    get: reject,
    list: reject,
    check: reject,
    close: reject,
  };
  const told: unknown[] = [];
  const onError = ({ error }: ErrorInfo) => told.push(error);
  const options = { store: broken, handleStoreOrders: reject, onError };
  const request = (path: string, init: RequestInit = {}) =>
    new Request(`http://h/v1${path}`, { ...init, headers: { authorization: `Bearer ${KEY}`, ...init.headers } });
  const reasons = await unhandled(async () => {
    const { handle } = createPetstore({ keys: [KEY], ...options });
    const body = '{"name":"Rex","categoryId":7}';
    const requests = [
      ...["/pets", "/pets/1", "/store/orders"].map((path) => request(path)),
      request("/pets", { method: "POST", body, headers: { "content-type": "application/json" } }),
      request("/pets", {
        method: "POST",
        body,
        headers: { "content-type": "application/json", "idempotency-key": "a" },
      }),
    ];
    for (const each of requests) assert.deepEqual(await (await handle(each)).json(), INTERNAL, each.url);
    const asked = createPetstore({ keys: reject, ...options }).handle(request("/pets"));
    assert.equal((await asked).status, 500);
  });
  assert.deepEqual([reasons, told.length], [[], 6]);
});
