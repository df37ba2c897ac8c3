/** Bodies: announced lengths, timers, and pieces. The HTTP contract has the rest. */

import assert from "node:assert/strict";
import test from "node:test";
import { MAX_BYTES_AT_ONCE, readPieces } from "../../lib/http/body_stream.ts";
import { Problem } from "../../lib/http/problem.ts";
import { sleep } from "../../lib/promises.ts";
import { createPetstore } from "../../mod.ts";
import { KEY, petRequest } from "../support/pet_requests.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

/** Sends a body to a new petstore, or to this one. */
function post(body: BodyInit, length?: string, { handle } = createPetstore({ keys: [KEY] })): Promise<Response> {
  const headers = length === undefined ? {} : { "content-length": length };
  return handle(petRequest("/v1/pets", { method: "POST", headers, body }));
}

function failing(reason: unknown): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.error(reason) });
}

/** A body of a thousand pieces of `size` bytes, which is too long, and its use by a petstore. */
function tooLong(size: number) {
  const seen = { pieces: 0, isCancelled: false };
  const body = new ReadableStream({
    pull(controller) {
      if (++seen.pieces > 1000) return controller.close();
      controller.enqueue(new Uint8Array(size).fill(0x20));
    },
    cancel: () => void (seen.isCancelled = true),
  }, { highWaterMark: 0 });
  return { body, seen };
}

test("announced lengths that differ are refused, and equal ones are taken", async () => {
  const pet = '{"name":"Rex","categoryId":7}';
  for (const [length, status] of [["29, 30", 400], ["29, 29", 201]] as const) {
    assert.equal((await post(pet, length)).status, status, length);
  }
});

test("a body of too many bytes, or too many pieces for its bytes, gets 413 and is not read any further", () =>
  withVirtualClock(async () => {
    // A long body is read in pieces also if its length is announced.
    for (const [size, most, length] of [[1, 260], [65_536, 17], [65_536, 17, "20000"]] as const) {
      const { body, seen } = tooLong(size);
      assert.equal((await post(body, length)).status, 413);
      // If the body were cancelled before the response is sent, Deno.serve would read the rest to discard it.
      assert.equal(seen.isCancelled, false);
      while (!seen.isCancelled && seen.pieces <= 1000) await sleep(100);
      assert.ok(seen.pieces <= most, `${seen.pieces} pieces were read`);
    }
  }));

test("no timer is left when a body has been read", () =>
  withVirtualClock(async ({ pending }) => {
    for (const length of ["2", undefined]) assert.equal((await post("{}", length)).status, 400);
    await sleep(2_000);
    assert.equal(pending(), 0);
  }));

test("concurrent bodies in many pieces leave the event loop free between their parts", async () => {
  const bodies = Array.from({ length: 20 }, () => tooLong(1));
  const petstore = createPetstore({ keys: [KEY] });
  const read = () => bodies.reduce((sum, { seen }) => sum + seen.pieces, 0);
  let isDone = false;
  let most = 0;
  const responses = Promise.all(bodies.map(({ body }) => post(body, undefined, petstore))).finally(() => isDone = true);
  for (let before = 0; !isDone; before = read()) {
    await new Promise((resolve) => setTimeout(resolve));
    most = Math.max(most, read() - before);
  }
  for (const { status } of await responses) assert.equal(status, 413);
  // All of them together are about five thousand pieces.
  assert.ok(most < 2000, `${most} pieces in one turn`);
});

test("a body that fails by a defect of this side is 500, and onError is told; one whose client has gone is 400", async () => {
  const gone = ["AbortError", "Http"].map((name) => Object.assign(new Error("gone"), { name }));
  gone.push(Object.assign(new Error("gone"), { code: "ECONNRESET" }));
  for (const reason of [...gone, new TypeError("x is not a function"), "a text", undefined]) {
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

const SHORT = MAX_BYTES_AT_ONCE;

/** The sizes of the pieces of long bodies, and what becomes of them with a limit of four short ones. The last one is cut. */
const LONG: { sizes: number[]; outcome: string }[] = [
  { sizes: [2 * SHORT, 2 * SHORT], outcome: "read" },
  { sizes: [2 * SHORT, 4 * SHORT], outcome: "body_too_large" },
  { sizes: [2 * SHORT, ...Array(400).fill(1)], outcome: "body_too_large" },
  { sizes: [2 * SHORT], outcome: "cut" },
];

test("a long body gives back to the budget what it took, and no more, whether it is read, refused or cut", async () => {
  const tooLarge = new Problem(413, "body_too_large", "too large");
  const budget = { left: 8 * SHORT };
  const outcomes = LONG.map(({ sizes, outcome }) => {
    const left = [...sizes];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const size = left.shift();
        if (size !== undefined) controller.enqueue(new Uint8Array(size));
        else if (outcome === "cut") controller.error(new Error("cut"));
        else controller.close();
      },
    });
    const read = readPieces(body.getReader(), { maxBytes: 4 * SHORT, tooLarge, budget });
    return read.then(() => "read", (thrown) => thrown instanceof Problem ? thrown.code : thrown.message);
  });
  assert.deepEqual(await Promise.all(outcomes), LONG.map(({ outcome }) => outcome));
  assert.equal(budget.left, 8 * SHORT);
});
