/** Bodies: announced lengths, timers, and pieces. The HTTP contract has the rest. */

import assert from "node:assert/strict";
import test from "node:test";
import { readPieces, WHOLE_BODY } from "../../lib/http/body_stream.ts";
import { Problem } from "../../lib/http/problem.ts";
import { sleep } from "../../lib/promises.ts";
import { createPetstore } from "../../mod.ts";
import { KEY, petRequest, REX } from "../support/pet_requests.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

/** Sends a body to a new petstore, or to this one. */
function post(body: BodyInit, length?: string, { handle } = createPetstore({ keys: [KEY] })): Promise<Response> {
  const headers = length === undefined ? {} : { "content-length": length };
  return handle(petRequest("/v1/pets", { method: "POST", headers, body }));
}

/** A body that ends as a connection does on Node. */
function cut(): ReadableStream {
  return failing(Object.assign(new Error("Connection reset"), { code: "ECONNRESET" }));
}

function failing(reason: unknown): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.error(reason) });
}

test("a body with two announced lengths, as HTTP/2 delivers two fields, is incomplete", async () => {
  const expected = { code: "invalid_json", message: "The request body is incomplete", status: 400 };
  assert.deepEqual(await (await post(REX, "29, 9")).json(), expected);
});

test("a body that was read, or that failed, leaves no timer behind", () =>
  withVirtualClock(async ({ pending }) => {
    for (const [body, status] of [[new TextEncoder().encode(REX.padEnd(30)), 201], [cut(), 400]] as const) {
      assert.equal((await post(body, "30")).status, status);
      // With a body under way, the timer of all bodies would be set again.
      await sleep(5_000);
      assert.equal(pending(), 0);
    }
  }));

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

test("a body of too many bytes, or too many pieces for its bytes, gets 413 and is not read any further", () =>
  withVirtualClock(async () => {
    const refuse = async (size: number, pieces: number) => {
      const seen: Seen = { pieces: 0, isCancelled: false };
      assert.equal((await post(endless(size, seen))).status, 413);
      // If the body were cancelled before the response is sent, Deno.serve would read the rest to discard it.
      assert.equal(seen.isCancelled, false);
      while (!seen.isCancelled) await sleep(100);
      assert.ok(seen.pieces <= pieces, `${seen.pieces} pieces were read`);
    };
    await Promise.all([refuse(1, 260), refuse(65_536, 17)]);
  }));

test("concurrent bodies in many pieces leave the event loop free between their parts", async () => {
  const seen: Seen = { pieces: 0, isCancelled: false };
  const petstore = createPetstore({ keys: [KEY] });
  let isDone = false;
  const responses = Promise.all(Array.from({ length: 20 }, () => post(endless(1, seen), undefined, petstore)));
  responses.finally(() => isDone = true);
  let most = 0;
  for (let before = seen.pieces; !isDone; before = seen.pieces) {
    await new Promise((resolve) => setTimeout(resolve));
    most = Math.max(most, seen.pieces - before);
  }
  for (const { status } of await responses) assert.equal(status, 413);
  // All of them together are about five thousand pieces.
  assert.ok(most < 2000, `${most} pieces in one turn`);
});

test("a body that fails by a defect of this side is 500, and onError is told; one whose client has gone is 400", async () => {
  const named = (name: string) => Object.assign(new Error("gone"), { name });
  const coded = (code: string) => Object.assign(new Error("gone"), { code });
  const gone = [named("AbortError"), named("Http"), named("BadResource"), coded("ECONNRESET"), coded("EPIPE")];
  const ours = [new Error("cannot decrypt"), new TypeError("x is not a function"), "a text", null, undefined, {}];
  const throwing = Object.defineProperty({}, "name", { get: () => assert.fail("name") });
  for (const reason of [...gone, ...ours, throwing]) {
    const isGone = gone.includes(reason as Error);
    // Announced and short, announced and long, and without a length.
    for (const length of ["30", "20000", undefined]) {
      const told: unknown[] = [];
      const petstore = createPetstore({ keys: [KEY], onError: ({ error }) => told.push(error) });
      const { status, code } = await (await post(failing(reason), length, petstore)).json();
      assert.deepEqual([status, code], isGone ? [400, "invalid_json"] : [500, "internal_error"], String(reason));
      assert.deepEqual(told, isGone ? [] : [reason]);
    }
  }
});

/** A reader of pieces of these sizes, which then ends, or fails. */
function readerOf(sizes: readonly number[], failure?: Error): ReadableStreamDefaultReader<Uint8Array> {
  const pieces = sizes.map((size) => new Uint8Array(size));
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece) controller.enqueue(piece);
      else if (failure) controller.error(failure);
      else controller.close();
    },
  }).getReader();
}

test("a long body gives back to the budget what it took, and no more, whether it is read, refused or cut", async () => {
  const KIB = 1024, whole = 4 * WHOLE_BODY;
  const tooLarge = new Problem(413, "body_too_large", "too large");
  const bodies: [sizes: number[], failure: Error | undefined, outcome: string][] = [
    [[whole / 2, whole / 2], undefined, "read"],
    [[whole / 2, whole], undefined, "body_too_large"],
    [[whole / 2], new Error("cut"), "cut"],
    [[whole / 2, ...Array(400).fill(1)], undefined, "body_too_large"],
    // It is refused at its second piece, since the first has taken nearly all.
    [[40 * KIB, 24 * KIB], undefined, "overloaded"],
    [[whole / 2], undefined, "read"],
  ];
  const read = ([sizes, failure]: typeof bodies[number], budget: { left: number }) =>
    readPieces(readerOf(sizes, failure), whole, tooLarge, budget).then(
      () => "read",
      (thrown) => thrown instanceof Problem ? thrown.code : thrown.message,
    );
  for (const body of bodies) {
    const [, , outcome] = body, total = outcome === "overloaded" ? 30 * KIB : 2 * whole, budget = { left: total };
    assert.equal(await read(body, budget), outcome);
    assert.equal(budget.left, total, outcome);
  }
  const shared = { left: bodies.length * whole };
  await Promise.all(bodies.map((body) => read(body, shared)));
  assert.equal(shared.left, bodies.length * whole);
});
