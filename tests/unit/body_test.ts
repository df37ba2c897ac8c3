/** Bodies with a Content-Length, which the HTTP contract has on sockets alone, and the messages about bodies. */

import assert from "node:assert/strict";
import test from "node:test";
import { createPetstore, type ErrorBody } from "../../mod.ts";

const KEY = "pk_test";
const PET = '{"name":"Rex","categoryId":7}';
const encoder = new TextEncoder();

const { handle } = createPetstore({ keys: [KEY], maxBodyBytes: 100, bodyTimeoutMs: 20 });

async function send(body: BodyInit, headers: Record<string, string> = {}): Promise<[number, ErrorBody]> {
  const init = { method: "POST", headers: { authorization: `Bearer ${KEY}`, ...headers }, body, duplex: "half" };
  const response = await handle(new Request("http://h/v1/pets", init as RequestInit));
  return [response.status, await response.json()];
}

function withLength(body: BodyInit, length: number): Promise<[number, ErrorBody]> {
  return send(body, { "content-length": String(length) });
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
    [cut(), { "content-length": "30" }, 400, "invalid_json", "The request body is incomplete"],
  ];
  for (const [body, headers, status, code, message] of refusals) {
    const fields = typeof body === "string" ? { "content-type": "application/json" } : {};
    assert.deepEqual(await send(body, { ...fields, ...headers }), [status, { code, message, status }]);
  }
});

test("a body whose length is announced is taken up to the limit, and refused beyond before it has arrived", async () => {
  for (const length of [PET.length, 100]) {
    assert.equal((await withLength(encoder.encode(PET.padEnd(length)), length))[0], 201);
  }
  assert.equal((await withLength(stalled(), 101))[0], 413);
  assert.equal((await withLength(stalled(), 100))[0], 408);
});

test("a body that is longer than was announced gets 413 beyond the limit", async () => {
  assert.equal((await withLength(encoder.encode(PET.padEnd(101)), PET.length))[0], 413);
});

test("a body that ends within a character gets 400", async () => {
  const bytes = new Uint8Array([...encoder.encode(PET), 0xc3]);
  for (const [status, { code }] of [await send(bytes), await withLength(bytes, bytes.length)]) {
    assert.deepEqual([status, code], [400, "invalid_json"]);
  }
});

test("the content coding identity, and chunked on a body without a length, are taken in any case", async () => {
  for (const word of ["content-encoding: identity", "content-encoding: Identity", "transfer-encoding: CHUNKED"]) {
    const [name, value] = word.split(": ") as [string, string];
    assert.equal((await send(encoder.encode(PET), { [name]: value }))[0], 201, word);
  }
});
