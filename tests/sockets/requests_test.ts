/**
 * What only a faulty or hostile client sends, to a petstore on `Deno.serve`: heads, bodies, and
 * ends. Wrong framing: smuggling_test.ts.
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";
import { withDenoServe } from "../support/http/deno_serve.ts";
import { type Endpoint, exchange, RawSocket } from "../support/http/raw_socket.ts";
import { AUTHORIZATION, chunk, CHUNKED, get, head, KEY, MIB, post } from "../support/http/requests.ts";
import type { SeenResponse } from "../support/openapi_validator.ts";

/** Serves a petstore while `use` runs. Afterwards it must answer, have no pets, and have reported no failure. */
async function withPetstore(
  use: (petstore: Endpoint) => Promise<void>,
  options: Pick<PetstoreOptions, "bodyTimeoutMs"> = {},
): Promise<void> {
  const failures: unknown[] = [];
  const { handle } = createPetstore({ keys: [KEY], ...options, onError: ({ error }) => failures.push(error) });
  await withDenoServe(handle, async (port) => {
    await use({ port });
    assert.equal(told(await exchange({ port }, get("/v1/pets"))), "200 []");
  });
  assert.deepEqual(failures, []);
}

/** The status, and the code of an error or the body. */
function told(response: SeenResponse | undefined): string {
  const { code = response?.text } = JSON.parse(response?.text || "{}");
  return `${response?.status} ${code}`;
}

const latin = (text: string) => Buffer.from(text, "latin1");

const CASES: Record<string, [bytes: string | Uint8Array, told: string]> = {
  "a key in Latin-1": [latin(get("/v1/pets", "Authorization: Bearer éÿ\r\n")), "401 invalid_api_key"],
  "a target in absolute form": [get("http://other.example/v1/pets"), "200 []"],
  "OPTIONS *": [head("OPTIONS", "*"), "404 route_not_found"],
  "a target that begins with two slashes": [get("//evil.example/v1/pets"), "404 route_not_found"],
  "a target with dot segments": [get("/v1/../v1/pets"), "404 route_not_found"],
  "a path of 60,000 characters": [get(`/v1/${"a".repeat(60_000)}`), "404 route_not_found"],
  "an invalid Host header": [get("/v1/pets", `Host: a b/c?d#@e\r\n${AUTHORIZATION}`), "404 route_not_found"],
  "a method in lower case": [head("get", "/v1/pets"), "405 method_not_allowed"],
  "a method that is a name of JavaScript": [head("__proto__", "/v1/pets"), "405 method_not_allowed"],
  "30,000 brackets, opened and closed": [post("[".repeat(30_000) + "]".repeat(30_000)), "400 invalid_pet"],
  "3 MiB that were declared and not sent": [post("", `Content-Length: ${3 * MIB}\r\n`), "413 body_too_large"],
  "chunks beyond the limit, never ended": [post(chunk("x".repeat(MIB + 1)), CHUNKED), "413 body_too_large"],
};

test("Deno.serve with a petstore answers each strange request, and the next one", () =>
  withPetstore(async (petstore) => {
    for (const [what, [bytes, wanted]] of Object.entries(CASES)) {
      assert.equal(told(await exchange(petstore, bytes)), wanted, what);
    }
    // A client may also leave before its request is whole.
    for (const part of ["POST /v1/pets HTTP/1.1\r\nHo", head("POST", "/v1/pets", "Content-Length: 29\r\n")]) {
      using socket = await RawSocket.open(petstore);
      await socket.send(part);
    }
  }));

test("Deno.serve with a petstore answers 408 to a body that stalls", () =>
  withPetstore(async (petstore) => {
    const stalled = post('{"name":"Rex"', "Content-Length: 29\r\n");
    assert.equal(told(await exchange(petstore, stalled)), "408 request_timeout");
  }, { bodyTimeoutMs: 50 }));

test("a body that is too large, with a length or in chunks, is never taken for the next request", () =>
  withPetstore(async (petstore) => {
    const text = "x".repeat(2 * MIB);
    for (const large of [post(text), post(`${chunk(text)}0\r\n\r\n`, CHUNKED)]) {
      using socket = await RawSocket.open(petstore);
      const sent = socket.send(large, get("/v1/pets"));
      assert.equal(told(await socket.readResponse()), "413 body_too_large");
      // The connection either continues after the body or ends. It neither hangs nor answers anything else.
      const next = await socket.readResponse();
      if (next !== undefined) assert.equal(told(next), "200 []");
      await sent;
    }
  }));

/** Functions of an app that make a WebSocket of their request, which Deno.serve can answer in no other way. */
const UPGRADING: PetstoreOptions[] = [
  { keys: () => ({ id: "ann" }), handleStoreOrders: (request) => Deno.upgradeWebSocket(request).response },
  { keys: (_, request) => Deno.upgradeWebSocket(request) && false },
];

test("a handler or a verifier that makes a WebSocket of a request does not stop Deno.serve", async () => {
  for (const options of UPGRADING) {
    await withDenoServe(createPetstore({ onError: () => {}, ...options }).handle, async (port) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/store/orders`);
      await new Promise((resolve) => socket.onerror = resolve);
      const { status } = await fetch(`http://127.0.0.1:${port}/v1/pets`);
      assert.ok(status === 200 || status === 500, `${status}`);
    });
  }
});
