/** What a wait that a signal can end leaves behind when it is over. */

import assert from "node:assert/strict";
import test from "node:test";
import { untilAborted } from "../../lib/promises.ts";

test("untilAborted() leaves no listener, however the wait ends, and the next one works", async () => {
  const controller = new AbortController(), { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal), remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener: (...parts: Parameters<typeof add>) => (listeners++, add(...parts)),
    removeEventListener: (...parts: Parameters<typeof remove>) => (listeners--, remove(...parts)),
  });
  for (let i = 0; i < 3; i++) {
    assert.equal(await untilAborted(signal, Promise.resolve(i)), i);
    await assert.rejects(untilAborted(signal, Promise.reject(new Error("broken"))), /broken/);
  }
  const waiting = untilAborted(signal, new Promise(() => {}));
  controller.abort(new Error("stopped"));
  await assert.rejects(waiting, /stopped/);
  await assert.rejects(untilAborted(signal, Promise.resolve()), /stopped/);
  assert.equal(listeners, 0);
});
