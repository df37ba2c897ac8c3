/** Bodies in many pieces: where they are given up, what becomes of the rest, and that nobody waits for all of them. */

import assert from "node:assert/strict";
import test from "node:test";
import { createPetstore } from "../../mod.ts";

const KEY = "pk_test";
const PET = '{"name":"Rex","categoryId":7}';

/** What has been asked of a body. */
interface Seen {
  pieces: number;
  isCancelled: boolean;
}

/** A body without an end, in pieces of a size; each is there as soon as it is asked for. */
function endless(size: number, seen: Seen): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      seen.pieces++;
      controller.enqueue(new Uint8Array(size).fill(0x20));
    },
    cancel: () => void (seen.isCancelled = true),
  }, { highWaterMark: 0 });
}

/** A body that holds one pet, in as many pieces. */
function inPieces(text: string, count: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const size = Math.ceil(bytes.length / count);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at += size));
      else controller.close();
    },
  }, { highWaterMark: 0 });
}

function post(body: ReadableStream<Uint8Array>): Request {
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  return new Request("http://h/v1/pets", { method: "POST", headers, body, duplex: "half" } as RequestInit);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

for (
  const [what, size, pieces] of [
    ["too many pieces for its bytes", 1, 260],
    ["too many bytes", 65_536, 17],
  ] as const
) {
  test(`a body of ${what} gets 413, and nothing more of it is asked for`, async () => {
    const seen: Seen = { pieces: 0, isCancelled: false };
    const { handle } = createPetstore({ keys: [KEY] });
    assert.equal((await handle(post(endless(size, seen)))).status, 413);
    assert.ok(seen.pieces <= pieces, `${seen.pieces} pieces were read`);
    // Cancelled before its answer is sent, Deno.serve would read the rest to throw it away.
    assert.equal(seen.isCancelled, false);
    while (!seen.isCancelled) await turn();
    assert.ok(seen.pieces <= pieces, `${seen.pieces} pieces were read`);
  });
}

test("a pet in hundreds of pieces is stored, and a megabyte in as many as a network makes of it", async () => {
  const { handle } = createPetstore({ keys: [KEY] });
  for (const [length, count] of [[250, 250], [1_048_576, 4096]] as const) {
    assert.equal((await handle(post(inPieces(PET.padEnd(length), count)))).status, 201);
  }
});

test("bodies in many pieces take turns, so that whoever comes meanwhile waits for one part of one of them", async () => {
  const seen: Seen = { pieces: 0, isCancelled: false };
  const { handle } = createPetstore({ keys: [KEY] });
  let isDone = false;
  const answers = Promise.all(Array.from({ length: 20 }, () => handle(post(endless(1, seen)))));
  answers.finally(() => isDone = true);
  let most = 0;
  for (let before = seen.pieces; !isDone; before = seen.pieces) {
    await turn();
    most = Math.max(most, seen.pieces - before);
  }
  for (const { status } of await answers) assert.equal(status, 413);
  // All of them in one turn of the event loop would be five thousand.
  assert.ok(most < 2000, `${most} pieces in one turn`);
});
