/** createClient() on sockets: what a network, a proxy or an attacker may answer, byte by byte. */

import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate } from "node:timers";
import { createClient, type Pets } from "../mod.ts";
import { failed } from "./support.ts";
import {
  fieldOf,
  response,
  type Script,
  type Scripted,
  withScript,
} from "../../../tests/support/http/scripted_server.ts";

const REX = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}';
const NEW_REX = { name: "Rex", categoryId: 2n ** 63n - 1n };

/** Runs `use` with a client of a server that follows the script. */
function withClient(script: Script, use: (pets: Pets, server: Scripted) => Promise<void>) {
  return withScript(script, (server) => {
    // There are few retries, so that a test which fails does not take long.
    const { pets } = createClient({ baseUrl: `${server.origin}/v1`, key: "pk_test", maxRetries: 2 });
    return use(pets, server);
  });
}

const WHOLE = response(201, REX);
const CREATED = "HTTP/1.1 201 Created\r\nconnection: close\r\n";
const CUT_REX = REX.slice(0, -9);

const CUT: [where: string, bytes: string][] = [
  ["before its response", ""],
  // Over plain HTTP, Chromium takes what has come of a head for the whole.
  ["in the head, which looks whole", `${CREATED}\r\n`],
  ["in the type, which looks whole", `${CREATED}content-type: applic\r\n\r\n`],
  ["in the body", WHOLE.slice(0, -9)],
  ["in a chunk", `${CREATED}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nff\r\n${REX}`],
  ["in a body without a length", `${CREATED}content-type: APPLICATION/JSON\r\n\r\n${CUT_REX}`],
  ["in the body of a failure", response(503, '{"code":"overloaded"', { "content-length": "99" })],
];

for (const [where, bytes] of CUT) {
  test(`a create whose connection is cut ${where} is sent again with its Idempotency-Key`, () =>
    withClient((_, number) => number < 2 ? bytes : WHOLE, async (pets, { requests }) => {
      assert.deepEqual(await pets.create(NEW_REX), { id: 1n, ...NEW_REX, status: "available" });
      assert.equal(requests.length, 3);
      assert.ok(fieldOf(requests[0], "idempotency-key"));
      assert.equal(new Set(requests.map((request) => fieldOf(request, "idempotency-key"))).size, 1);
    }));
}

test("a create without an Idempotency-Key is sent once, on a kept connection that ends before the response too", () => {
  const kept: [string] = [WHOLE.replace("connection: close\r\n", "")];
  return withClient((_, number) => number === 0 ? kept : "", async (pets, { requests }) => {
    await pets.create(NEW_REX, { idempotencyKey: null });
    // Node keeps a connection for requests of a later turn.
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await failed(pets.create(NEW_REX, { idempotencyKey: null }))).code, "connection_failed");
    assert.equal(requests.length, 2);
    for (const request of requests) assert.ok(request.includes('"name":"Rex"'));
  });
});

test("a redirect is an error, and neither the key nor the pet goes to its target", () =>
  withScript(() => WHOLE, (other) => {
    const target = `${other.origin}/v1/pets`;
    return withClient(() => response(307, "", { location: target }), async (pets, { requests }) => {
      for (const call of [() => pets.create(NEW_REX), () => pets.get(1n), () => pets.list().toArray()]) {
        const { code, message } = await failed(call());
        assert.equal(code, "unexpected_response");
        assert.ok(message.includes(`is redirected to ${target}; baseUrl must be`), message);
      }
      assert.deepEqual([requests.length, other.requests.length], [3, 0]);
    });
  }));
