/** Requests that workerd ends before the petstore has answered, as when a client leaves. They harm no other request. */

import assert from "node:assert/strict";
import { bundle, stopBundler } from "./support/bundle.ts";
import { APP_KEY } from "./support/mounts.ts";
import { testWorkers, Workers } from "./support/workerd.ts";

interface Sender {
  (path: string, key?: string, init?: RequestInit): Promise<Response>;
}

/** Starts two Workers that share a database. A test uses the first; the second is the other program that changes keys. */
async function withWorkers(use: (send: Sender, sendToOther: Sender) => Promise<void>): Promise<void> {
  const script = await bundle("support/ended_requests.ts");
  await stopBundler();
  await using workers = new Workers({ scripts: [script, script] });
  const [send, sendToOther] = (await workers.origins()).map((origin): Sender => (path, key = "", init = {}) => {
    return fetch(origin + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });
  });
  await use(send!, sendToOther!);
}

async function addKey(send: Sender): Promise<{ id: string; key: string }> {
  return await (await send("/keys/add")).json();
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.body?.cancel();
  return response.status;
}

const LEAVE = { headers: { leave: "yes" } };

/** Sends a body that stalls. Its response comes after the time limit of bodies. */
function stall(send: Sender, key: string): Promise<number> {
  return statusOf(send("/v1/pets", key, { method: "POST", body: new ReadableStream() }));
}

testWorkers(
  "a request that ends while it reads the keys makes no other request wait or fail",
  () =>
    withWorkers(async (send, sendToOther) => {
      const { key } = await addKey(sendToOther);
      assert.equal(await statusOf(send("/v1/pets", key, LEAVE)), 200);
      assert.equal(await statusOf(send("/v1/pets", key)), 200);

      assert.equal(await statusOf(send("/v1/pets", "wrong", LEAVE)), 200);
      const added = await addKey(sendToOther);
      assert.equal(await statusOf(send("/v1/pets", added.key)), 200);
    }),
);

testWorkers(
  "a key that another program has revoked is refused, although a request without a wait came in between",
  () =>
    withWorkers(async (send, sendToOther) => {
      const { key } = await addKey(sendToOther), revoked = await addKey(sendToOther);
      // After the stalled body, the keys are so old that the next request reads them.
      assert.equal(await stall(send, key), 408);
      assert.equal(await statusOf(send("/v1/cats", key)), 404);
      await statusOf(sendToOther(`/keys/revoke?id=${revoked.id}`));
      assert.equal(await stall(send, key), 408);
      assert.equal(await statusOf(send("/v1/pets", revoked.key)), 401);
    }),
);

testWorkers(
  "requests that end in the middle of a long body do not take the memory for bodies for ever",
  () =>
    withWorkers(async (send) => {
      const { key } = await addKey(send);
      for (let count = 0; count < 70; count++) {
        assert.equal(await statusOf(send("/leave-in-body", key)), 200);
      }
      // By the end of the time limit, their bodies would have ended.
      assert.equal(await stall(send, key), 408);
      const body = new TextEncoder().encode('{"name":"Rex","categoryId":7}'.padEnd(100_000));
      assert.equal(await statusOf(send("/v1/pets", key, { method: "POST", body })), 201);
    }),
);

testWorkers("a caller that leaves a Durable Object in the middle of a body is no failure of the app", async () => {
  const scripts = [await bundle("support/left_object.ts")];
  await stopBundler();
  await using workers = new Workers({ scripts, bindings: { PETSTORE_KEYS: APP_KEY } });
  const [origin] = await workers.origins();
  const response = await fetch(origin!, { headers: { authorization: `Bearer ${APP_KEY}` } });
  assert.deepEqual(await response.json(), { status: 400, errors: [] });
});
