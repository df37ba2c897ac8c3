/**
 * Failing callbacks of an app: each spoils no response and never ends the process, since an unhandled rejection also ends a test. What a
 * failing store or handler leads to is in tests/contract/http_test.ts.
 */

import assert from "node:assert/strict";
import test from "node:test";
import { IN_PROCESS, withApi } from "../support/api.ts";

const BROKEN = new Error("The app's own");

/** The body of every response with status 500. */
const INTERNAL = { code: "internal_error", message: "An internal error occurred", status: 500 };

const BROKEN_LOGS: [how: string, onError: () => unknown][] = [
  ["throws", () => {
    throw BROKEN;
  }],
  ["rejects", () => Promise.reject(BROKEN)],
  ["returns a thenable that rejects", () => ({ then: (_: unknown, no: (e: unknown) => void) => no(BROKEN) })],
  ["never settles", () => new Promise(() => {})],
];

for (const [how, onError] of BROKEN_LOGS) {
  test(`an onError or onResponse that ${how} spoils no response and causes no unhandled rejection`, async () => {
    const handleStoreOrders = () => Promise.reject(BROKEN);
    await withApi(IN_PROCESS, { onError, onResponse: onError, handleStoreOrders }, async (api) => {
      for (let i = 0; i < 3; i++) assert.deepEqual((await api.get("/store/orders")).error, INTERNAL);
      assert.equal((await api.get("/pets")).text, "[]");
    });
    // Unhandled rejections are reported at the end of a turn of the event loop.
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setTimeout(resolve));
  });
}
