/** Callbacks of an app that fail: each costs one answer at most, and never the process. */

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

/** What has to be an answer of 500, whichever callback it came from. */
const INTERNAL = { code: "internal_error", message: "An internal error occurred", status: 500 };

/** Rejections that no code has met while `run` runs. Each would end a process of Deno or Node. */
async function unmet(run: () => Promise<void>): Promise<unknown[]> {
  const reasons: unknown[] = [];
  const note = (reason: unknown) => reasons.push(reason);
  process.on("unhandledRejection", note);
  try {
    await run();
    // They are told at the end of a turn of the event loop.
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setTimeout(resolve));
  } finally {
    process.off("unhandledRejection", note);
  }
  return reasons;
}

const BROKEN_LOGS: [how: string, onError: (error: unknown) => unknown][] = [
  ["throws", () => {
    throw BROKEN;
  }],
  ["is rejected", reject],
  [
    "gives something that is rejected when it is asked",
    () => ({ then: (_: unknown, no: (e: unknown) => void) => no(BROKEN) }),
  ],
  ["never settles", () => new Promise(() => {})],
];

for (const [how, onError] of BROKEN_LOGS) {
  test(`an onError that ${how} costs no answer and leaves no rejection behind`, async () => {
    const reasons = await unmet(() =>
      withApi(IN_PROCESS, { onError, handleStoreOrders: reject }, async (api) => {
        for (let i = 0; i < 3; i++) assert.deepEqual((await api.get("/store/orders")).error, INTERNAL);
        assert.equal((await api.get("/pets")).text, "[]");
      })
    );
    assert.deepEqual(reasons, []);
  });
}

test("a verifier, a store or store orders that are rejected leave no rejection behind", async () => {
  const broken: PetStore = {
    create: reject,
    createOnce: reject,
    get: reject,
    list: reject,
    check: reject,
    close: reject,
  };
  const told: unknown[] = [];
  const onError = (error: unknown) => told.push(error);
  const options = { store: broken, handleStoreOrders: reject, onError };
  const request = (path: string, init: RequestInit = {}) =>
    new Request(`http://h/v1${path}`, { ...init, headers: { authorization: `Bearer ${KEY}`, ...init.headers } });
  const reasons = await unmet(async () => {
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
