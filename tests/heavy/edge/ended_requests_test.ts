/** Requests that workerd ends before the petstore has answered, as when a client leaves. They harm no other request. */

import assert from "node:assert/strict";
import { testWorkers } from "./support/workerd.ts";

type Send = (path: string, key?: string, init?: RequestInit) => Promise<Response>;

/** A test that uses the first of two Workers. The second is the other program that changes keys. */
function testSending(title: string, run: (send: Send, sendToOther: Send) => Promise<void>): void {
  const sendTo = (origin: string): Send => (path, key = "", init = {}) =>
    fetch(origin + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });
  testWorkers(title, "support/ended_requests.ts", (origin, other) => run(sendTo(origin), sendTo(other)));
}

async function addKey(send: Send): Promise<{ id: string; key: string }> {
  return await (await send("/keys/add")).json();
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.body?.cancel();
  return response.status;
}

const LEAVE = { headers: { leave: "yes" } };

/** Sends a body that stalls. Its response comes after the time limit of bodies. */
function stall(send: Send, key: string): Promise<number> {
  return statusOf(send("/v1/pets", key, { method: "POST", body: new ReadableStream() }));
}

testSending(
  "a request that ends while it reads the keys makes no other request wait or fail",
  async (send, sendToOther) => {
    const { key } = await addKey(sendToOther);
    assert.equal(await statusOf(send("/v1/pets", key, LEAVE)), 200);
    assert.equal(await statusOf(send("/v1/pets", key)), 200);

    assert.equal(await statusOf(send("/v1/pets", "wrong", LEAVE)), 200);
    const added = await addKey(sendToOther);
    assert.equal(await statusOf(send("/v1/pets", added.key)), 200);
  },
);

testSending(
  "a request reads keys that are half a second old before it is answered, so that the read does not end with it",
  async (send, sendToOther) => {
    const { key } = await addKey(sendToOther), revoked = await addKey(sendToOther);
    assert.equal(await stall(send, key), 408);
    await statusOf(sendToOther(`/keys/revoke?id=${revoked.id}`));
    assert.equal(await statusOf(send("/v1/cats", key)), 404);
    assert.equal(await statusOf(send("/v1/pets", revoked.key)), 401);
  },
);

testSending(
  "requests that end in the middle of a long body do not take the memory for bodies for ever",
  async (send) => {
    const { key } = await addKey(send);
    for (let count = 0; count < 70; count++) {
      assert.equal(await statusOf(send("/leave-in-body", key)), 200);
    }
    // By the end of the time limit, their bodies would have ended.
    assert.equal(await stall(send, key), 408);
    const body = new TextEncoder().encode('{"name":"Rex","categoryId":7}'.padEnd(100_000));
    assert.equal(await statusOf(send("/v1/pets", key, { method: "POST", body })), 201);
  },
);

testSending("a body that stalls gets 408 after the request before it has ended", async (send) => {
  const { key } = await addKey(send);
  const ending = new TransformStream<Uint8Array, Uint8Array>();
  const first = statusOf(send("/v1/pets", key, { method: "POST", body: ending.readable }));
  // An isolate starts requests in order: after this response, the first POST has begun.
  await statusOf(send("/v1/pets", key));
  const second = stall(send, key);
  await statusOf(send("/v1/pets", key));
  // Workers end a timer with the request that set it, so the second body must not depend on the timer of the first.
  await ending.writable.close();
  assert.deepEqual([await first, await second], [400, 408]);
});
