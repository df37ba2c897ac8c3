/**
 * Failing callbacks of an app: each spoils no response and never ends the process, since an
 * unhandled rejection also ends a test. What a failing store or handler leads to is in
 * tests/contract/http_test.ts.
 */

import assert from "node:assert/strict";
import test from "node:test";
import { IN_PROCESS, withApi } from "../support/api.ts";

const BROKEN = new Error("The app's own");

const BROKEN_LOGS: Record<string, () => unknown> = {
  "throws": () => {
    throw BROKEN;
  },
  "rejects": () => Promise.reject(BROKEN),
  "returns a thenable that rejects": () => ({ then: (_: unknown, no: (e: unknown) => void) => no(BROKEN) }),
  "never settles": () => new Promise(() => {}),
};

for (const [how, onError] of Object.entries(BROKEN_LOGS)) {
  test(`an onError or onResponse that ${how} spoils no response and causes no unhandled rejection`, async () => {
    const handleStoreOrders = () => Promise.reject(BROKEN);
    await withApi(IN_PROCESS, { onError, onResponse: onError, handleStoreOrders }, async (api) => {
      for (let i = 0; i < 3; i++) assert.match((await api.get("/store/orders")).text, /"internal_error"/);
      assert.equal((await api.get("/pets")).text, "[]");
    });
    // Unhandled rejections are reported at the end of a turn of the event loop.
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setTimeout(resolve));
  });
}

test("a thrown value that throws when it is looked at is a 500, and ends no process", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  await withApi(IN_PROCESS, { handleStoreOrders: () => Promise.reject(proxy) }, async (api) => {
    assert.match((await api.get("/store/orders")).text, /"internal_error"/);
  });
});
