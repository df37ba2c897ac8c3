/** Bodies in many pieces: where reading stops, when the rest is cancelled, and how concurrent bodies share the event loop. */

import assert from "node:assert/strict";
import test from "node:test";
import { createPetstore } from "../../mod.ts";

const KEY = "pk_test";

/** The use of a body by a petstore. */
interface Seen {
  pieces: number;
  isCancelled: boolean;
}

/** An endless body in pieces of `size` bytes. */
function endless(size: number, seen: Seen): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      seen.pieces++;
      controller.enqueue(new Uint8Array(size).fill(0x20));
    },
    cancel: () => void (seen.isCancelled = true),
  }, { highWaterMark: 0 });
}

function post(body: ReadableStream<Uint8Array>): Request {
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  return new Request("http://h/v1/pets", { method: "POST", headers, body, duplex: "half" } as RequestInit);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

test("a body of too many bytes, or too many pieces for its bytes, gets 413 and is not read any further", async () => {
  const { handle } = createPetstore({ keys: [KEY] });
  const refuse = async (size: number, pieces: number) => {
    const seen: Seen = { pieces: 0, isCancelled: false };
    assert.equal((await handle(post(endless(size, seen)))).status, 413);
    // If the body were cancelled before the response is sent, Deno.serve would read the rest to discard it.
    assert.equal(seen.isCancelled, false);
    while (!seen.isCancelled) await turn();
    assert.ok(seen.pieces <= pieces, `${seen.pieces} pieces were read`);
  };
  await Promise.all([refuse(1, 260), refuse(65_536, 17)]);
});

test("concurrent bodies in many pieces leave the event loop free between their parts", async () => {
  const seen: Seen = { pieces: 0, isCancelled: false };
  const { handle } = createPetstore({ keys: [KEY] });
  let isDone = false;
  const responses = Promise.all(Array.from({ length: 20 }, () => handle(post(endless(1, seen)))));
  responses.finally(() => isDone = true);
  let most = 0;
  for (let before = seen.pieces; !isDone; before = seen.pieces) {
    await turn();
    most = Math.max(most, seen.pieces - before);
  }
  for (const { status } of await responses) assert.equal(status, 413);
  // All of them together are about five thousand pieces.
  assert.ok(most < 2000, `${most} pieces in one turn`);
});
