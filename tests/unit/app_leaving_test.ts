/** Clients that leave while an app's handler works, and bodies that nobody takes: the process lives, and lets them go. */

import assert from "node:assert/strict";
import process from "node:process";
import test from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { endless, openApp, ORDERS, withStatus } from "../support/app.ts";

/** Asks an app whose client leaves before the handler answers, with what the host aborts the signal. */
async function askAndLeave(reason: unknown, answer: (signal: AbortSignal) => Response | Promise<Response>) {
  const leaving = new AbortController();
  const { ask, observed, told } = openApp(({ signal }) => {
    leaving.abort(reason);
    return answer(signal);
  });
  await ask(ORDERS, { signal: leaving.signal });
  return { observed, told };
}

/** What a handler may do after its client has left. */
const AFTER_LEAVING: ((signal: AbortSignal) => Response | Promise<Response>)[] = [
  (signal) => fetch("http://127.0.0.1:9/", { signal }),
  (signal) => (signal.throwIfAborted(), new Response("[]")),
  () => new Response("[]"),
  () => new Response(null, { status: 204 }),
];

test("a client that leaves is no failure, whatever its host aborts the signal with, and a defect of the handler is one", async () => {
  for (const reason of [undefined, new Error("aborted"), "left"]) {
    for (const answer of AFTER_LEAVING) {
      assert.deepEqual(await askAndLeave(reason, answer), { observed: [400], told: [] });
    }
    const failed = await askAndLeave(reason, () => assert.fail("database corrupt"));
    assert.deepEqual([failed.observed, failed.told.length], [[500], 1]);
  }
});

test("a body that is not sent is cancelled", async () => {
  for (const make of [(cancel: () => void) => new Response(endless(cancel)), unsendable]) {
    const cancelled = Promise.withResolvers<void>();
    await openApp(() => make(cancelled.resolve)).ask();
    await cancelled.promise;
  }
});

function unsendable(cancel: () => void): Response {
  return withStatus(999, endless(cancel));
}

test("a body of an iterable that ends after its client has left, or after its time, ends no process", async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on("uncaughtException", note);
  try {
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const pieces = async function* () {
      yield new Uint8Array([0x7b]);
      begun.resolve();
      await end.promise;
    };
    // Deno's types lack iterables.
    const iterable = () => pieces() as unknown as ReadableStream;
    const leaving = new AbortController();
    const { ask } = openApp(() => new Response(iterable()), { bodyTimeoutMs: 50 });
    const answered = ask(ORDERS, { signal: leaving.signal });
    await begun.promise;
    leaving.abort();
    await answered;
    assert.equal((await ask("/v1/pets", { method: "POST", body: iterable() })).status, 408);
    // By then, the bodies have been cancelled as far as they ever are.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    end.resolve();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(uncaught, []);
  } finally {
    process.off("uncaughtException", note);
  }
});

test("a body that stalls is cancelled when the client leaves, also after a collection of garbage", async () => {
  const collectGarbage = garbageCollector() ?? (() => {});
  const asked = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const source = { pull: () => asked.resolve(), cancel: () => cancelled.resolve() };
  const { ask } = openApp(() => new Response(new ReadableStream(source, { highWaterMark: 0 })));
  const leaving = new AbortController();
  const answered = ask(ORDERS, { signal: leaving.signal });
  await asked.promise;
  for (let turns = 0; turns < 3; turns++) {
    await new Promise((resolve) => setTimeout(resolve));
    collectGarbage();
  }
  leaving.abort();
  assert.equal((await answered).status, 400);
  await cancelled.promise;
});

test("a request that an app never answers is not kept in memory after its client has left", async (t) => {
  const collectGarbage = garbageCollector();
  if (!collectGarbage) return t.skip("the runtime exposes no collection of garbage");
  const abandoned: WeakRef<Request>[] = [];
  const { ask } = openApp((request) => {
    abandoned.push(new WeakRef(request));
    return new Promise(() => {});
  });
  for (let i = 0; i < 10; i++) {
    const leaving = new AbortController();
    void ask(ORDERS, { signal: leaving.signal });
    await new Promise((resolve) => setTimeout(resolve));
    leaving.abort();
  }
  for (let turns = 0; turns < 5; turns++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collectGarbage();
  }
  assert.equal(abandoned.length, 10);
  // The last one may still be on the stack.
  assert.ok(abandoned.filter((request) => request.deref()).length <= 1);
});

/** A function that collects garbage, if the runtime has one. */
function garbageCollector(): (() => void) | undefined {
  setFlagsFromString("--expose-gc");
  // Only new contexts get what a flag exposes.
  return runInNewContext("globalThis.gc");
}
