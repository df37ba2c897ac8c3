/** What an observer of responses is told beside what the HTTP contract says, and the ids of requests. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore, createPetstore, type PetstoreOptions, type ResponseInfo } from "../../mod.ts";

const KEY = "pk_example";

function createObserved(options: Partial<PetstoreOptions> = {}) {
  const seen: ResponseInfo[] = [];
  const keys = [{ key: KEY, caller: "shop" }];
  const { handle } = createPetstore({ keys, onResponse: (answered) => seen.push(answered), ...options });
  const send = (method: string, path: string, given: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${KEY}`, ...given };
    return handle(new Request(`http://localhost/v1${path}`, { method, headers }));
  };
  return { seen, send };
}

test("durationMs has the wait for the key, and is 0 for a kept response that waits for nothing", async () => {
  const { now } = performance;
  let reading = 0;
  performance.now = () => ++reading;
  try {
    for (const [keys, expected] of [[undefined, false], [async () => await true, true]] as const) {
      const { seen, send } = createObserved(keys && { keys });
      for (let i = 0; i < 3; i++) await send("GET", "/pets");
      assert.deepEqual(seen.map(({ durationMs }) => durationMs > 0), [true, true, expected]);
    }
  } finally {
    performance.now = now;
  }
});

test("onError gets the id that the client gets", async () => {
  const given: string[] = [];
  const store = Object.assign(createMemoryStore(), { list: () => assert.fail("a bug") });
  const { send } = createObserved({ store, onError: ({ requestId }) => given.push(requestId), requestIds: "failures" });
  assert.deepEqual([(await send("GET", "/pets")).headers.get("x-request-id")], given);
});
