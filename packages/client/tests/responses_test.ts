/** What createClient() makes of what a server, a proxy or a network sends: byte by byte on sockets, and as a runtime shows it. */

import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate } from "node:timers";
import { createClient, type Pets, PetstoreError } from "../mod.ts";
import { answeredBy, failed } from "./support.ts";
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

const ASKED = "GET http://localhost/v1/pets/1";

/** What the only try of a request ends with: the name of the pet, or the error. */
async function get(respond: () => Response): Promise<unknown> {
  const [end] = await Promise.allSettled([answeredBy(respond).get(1n)]);
  return end?.status === "fulfilled" ? end.value.name : end?.reason;
}

/** A redirect, as a browser shows it. */
function hiddenRedirect(): Response {
  const type = { value: "opaqueredirect" }, status = { value: 0 }, ok = { value: false };
  return Object.defineProperties(new Response(), { type, status, ok });
}

const REDIRECTED = `${ASKED} is redirected to another address; baseUrl must be the address that answers`;
const FOREIGN = `${ASKED} got no answer of a petstore, but `;
const PAGE = `<!doctype html><title>Sign in</title>${"<p>Welcome".repeat(50)}`;
const PAGE_QUOTED = JSON.stringify(`${PAGE.slice(0, 64)}…`);
const json = (body: string, status = 200) => () =>
  new Response(body, { status, headers: { "content-type": "application/json" } });

/** Responses, and the name of the pet in them, or the message of the error. */
const ENDS: [name: string, respond: () => Response, end: string | RegExp][] = [
  ["a category with a point", json(REX.replace("5807", "5807.0")), "Rex"],
  ["a redirect that a browser hides", hiddenRedirect, REDIRECTED],
  ["a 304 that it has not asked for", () => new Response(null, { status: 304 }), `${FOREIGN}304 ""`],
  [
    "a page with 200",
    () => new Response(PAGE, { headers: { "content-type": "text/html" } }),
    `${FOREIGN}200 ${PAGE_QUOTED}`,
  ],
  ["another shape", json('{"error":"no"}', 400), `${FOREIGN}400 "{\\"error\\":\\"no\\"}"`],
  ["arrays a million deep", json("[".repeat(1e6) + "]".repeat(1e6)), `${FOREIGN}200 "${"[".repeat(64)}…"`],
  ["a pet beyond int64", json(REX.replace("5807", "5808")), /petstore, but 200 /],
];

for (const [name, respond, end] of ENDS) {
  test(`createClient() gets ${name}`, async () => {
    const got = await get(respond);
    const said = got instanceof PetstoreError ? got.message : String(got);
    if (typeof end === "string") assert.equal(said, end);
    else assert.match(said, end);
  });
}

test("a code that this package does not know is kept, with the facts of the head", async () => {
  const headers = { "retry-after": "7", "x-request-id": "r-1" };
  const body = { code: "on_holiday", message: "Back soon", status: 409 };
  const error = await get(() => Response.json(body, { status: 409, headers }));
  assert.equal(String(error), "PetstoreError: Back soon");
  const facts = { name: "PetstoreError", ...body, requestId: "r-1", retryAfterMs: 7000 };
  assert.deepEqual(error, Object.assign(new PetstoreError(body.code, body.message), facts));
});
