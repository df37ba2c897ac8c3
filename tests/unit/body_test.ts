/** The messages about bodies, and the timers of bodies. The HTTP contract has the rest. */

import assert from "node:assert/strict";
import test from "node:test";
import { createPetstore, type ErrorBody } from "../../mod.ts";

const KEY = "pk_test";
const PET = '{"name":"Rex","categoryId":7}';
const encoder = new TextEncoder();

const { handle } = createPetstore({ keys: [KEY], maxBodyBytes: 100, bodyTimeoutMs: 20 });

async function send(body: BodyInit, headers: Record<string, string> = {}, ask = handle): Promise<[number, ErrorBody]> {
  const init = { method: "POST", headers: { authorization: `Bearer ${KEY}`, ...headers }, body, duplex: "half" };
  const response = await ask(new Request("http://h/v1/pets", init as RequestInit));
  return [response.status, await response.json()];
}

function stalled(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.enqueue(encoder.encode(PET)) });
}

function cut(): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.error(new Error("Connection reset")) });
}

test("a body is refused with the reason", async () => {
  const type = "unsupported_media_type";
  const refusals: [body: BodyInit, headers: Record<string, string>, status: number, code: string, message: string][] = [
    [PET, { "content-type": "text/plain" }, 415, type, "The request body must be application/json"],
    [PET, { "content-encoding": "gzip" }, 415, type, "The request body must come without Content-Encoding"],
    [PET, { "transfer-encoding": "gzip" }, 501, "not_implemented", "The only supported Transfer-Encoding is chunked"],
    [PET.padEnd(101), {}, 413, "body_too_large", "The request body must be at most 100 bytes"],
    [stalled(), {}, 408, "request_timeout", "The request body did not arrive within 20 ms"],
    [cut(), {}, 400, "invalid_json", "The request body is incomplete"],
    // As HTTP/2 delivers two fields.
    [PET, { "content-length": "29, 9" }, 400, "invalid_json", "The request body is incomplete"],
    [cut(), { "content-length": "30" }, 400, "invalid_json", "The request body is incomplete"],
  ];
  for (const [body, headers, status, code, message] of refusals) {
    const fields = typeof body === "string" ? { "content-type": "application/json" } : {};
    assert.deepEqual(await send(body, { ...fields, ...headers }), [status, { code, message, status }]);
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
