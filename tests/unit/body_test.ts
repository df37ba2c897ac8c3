/** Announced lengths, and the timers of bodies. The HTTP contract has the rest. */

import assert from "node:assert/strict";
import test from "node:test";
import { createPetstore, type ErrorBody } from "../../mod.ts";

const KEY = "pk_test";
const PET = '{"name":"Rex","categoryId":7}';
const encoder = new TextEncoder();

const { handle } = createPetstore({ keys: [KEY] });

async function send(body: BodyInit, headers: Record<string, string> = {}, ask = handle): Promise<[number, ErrorBody]> {
  const own = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  const init = { method: "POST", headers: { ...own, ...headers }, body, duplex: "half" };
  const response = await ask(new Request("http://h/v1/pets", init as RequestInit));
  return [response.status, await response.json()];
}

function cut(): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.error(new Error("Connection reset")) });
}

test("a body whose announced length cannot be, or is not reached, is incomplete", async () => {
  // The first as HTTP/2 delivers two fields.
  for (const [body, length] of [[PET, "29, 9"], [cut(), "30"]] as const) {
    const [status, { code, message }] = await send(body, { "content-length": length });
    assert.deepEqual([status, code, message], [400, "invalid_json", "The request body is incomplete"]);
  }
});

test("a body that was read, or that failed, leaves no timer behind", async () => {
  const { setTimeout } = globalThis;
  let tick: (() => void) | undefined;
  Object.assign(globalThis, { setTimeout: (run: () => void) => void (tick = run) });
  try {
    for (const [body, status] of [[encoder.encode(PET.padEnd(30)), 201], [cut(), 400]] as const) {
      const { handle } = createPetstore({ keys: [KEY] });
      assert.equal((await send(body, { "content-length": "30" }, handle))[0], status);
      const run = tick;
      tick = undefined;
      run!();
      // With a body under way it would be set again.
      assert.equal(tick, undefined);
    }
  } finally {
    Object.assign(globalThis, { setTimeout });
  }
});
