/** The tests' own safety net: what the description does not foresee fails a test, through every way to ask a server. */

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { describeServer } from "../../lib/server/description.ts";
import { createOpenApi } from "../../mod.ts";
import { withDenoServe } from "../support/http/deno_serve.ts";
import { createResponseValidator } from "../support/openapi_validator.ts";
import { type Endpoint, exchange, RawSocket } from "../support/http/raw_socket.ts";
import { validateServerAnswer } from "../support/server/server_description.ts";

const TESTS = fileURLToPath(new URL("../", import.meta.url));

const VALIDATE = createResponseValidator(createOpenApi(), "/v1");
const CHALLENGE = { "www-authenticate": 'Bearer realm="petstore"' };

/** Serves one and the same answer to every request while `use` runs. */
function withAnswer(answer: () => Response, use: (endpoint: Endpoint) => Promise<void>): Promise<void> {
  return withDenoServe(answer, (port) => use({ port, validate: VALIDATE }));
}

const NO_SNIFF = { "x-content-type-options": "nosniff" };

function list(json: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(json, { headers: { ...NO_SNIFF, etag: '"2-0-a-b"', ...headers } });
}

function failure(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json({ code, message: "…", status }, { status, headers: { ...NO_SNIFF, ...headers } });
}

const PET = { id: 1, name: "Rex", categoryId: 7, status: "sold" };
const INVALID_LIMIT = { code: "invalid_limit", message: "…", status: 400 };

/** What is wrong with an answer, the request, the answer, and what the test would be told. */
type Case = [what: string, request: string, answer: () => Response, told: RegExp];

const CASES: Case[] = [
  ["a status that is not described", "GET /v1/pets", () => new Response(null, { status: 418 }), /not described/],
  ["a status that another path has", "GET /v1/pets", () => failure(404, "route_not_found"), /not described/],
  ["a code that another status has", "GET /v1/pets", () => failure(400, "invalid_pet"), /allowed values/],
  [
    "a header too many",
    "GET /v1/pets",
    () => list([], { "x-powered-by": "Petstore" }),
    /x-powered-by is not described/,
  ],
  ["a header too few", "GET /v1/pets", () => Response.json([]), /header etag is missing/],
  ["a header of another form", "GET /v1/pets", () => list([], { etag: 'W/"2-0-a-b"' }), /pattern/],
  ["a challenge too few", "GET /nowhere", () => failure(401, "missing_api_key"), /www-authenticate is missing/],
  [
    "no deprecation where it belongs",
    "PUT /v1/pets/1",
    () => failure(405, "method_not_allowed", { allow: "GET" }),
    /deprecation is missing/,
  ],
  [
    "a body of another type",
    "GET /v1/pets",
    () => list([], { "content-type": "text/json" }),
    /Content-Type is text\/json/,
  ],
  ["a member too many", "GET /v1/pets", () => list([{ ...PET, age: 3 }]), /additional properties/],
  ["a member too few", "GET /v1/pets", () => list([{ ...PET, status: undefined }]), /required property 'status'/],
  [
    "an empty body",
    "GET /v1/pets",
    () => new Response(null, { headers: { ...NO_SNIFF, etag: '"2-0-a-b"' } }),
    /Content-Type is null/,
  ],
  // These look like the answers that Deno.serve makes by itself.
  [
    "an empty 400",
    "GET /v1/pets",
    () => new Response(null, { status: 400, headers: NO_SNIFF }),
    /Content-Type is null/,
  ],
  [
    "an empty 400 that ends the connection, and has a header too many",
    "GET /v1/pets",
    () => new Response(null, { status: 400, headers: { connection: "close", allow: "GET" } }),
    /allow is not described/,
  ],
  [
    "a 400 with a body that ends the connection",
    "PUT /v1/pets",
    () => Response.json(INVALID_LIMIT, { status: 400, headers: { connection: "close" } }),
    /not described/,
  ],
];

for (const [what, request, answer, told] of CASES) {
  test(`a raw socket refuses to read an answer with ${what}`, () =>
    withAnswer(answer, async (endpoint) => {
      await assert.rejects(exchange(endpoint, `${request} HTTP/1.1\r\nHost: x\r\n\r\n`), told);
    }));
}

test("a raw socket reads what is described, and what Deno.serve itself answers", () =>
  withAnswer(() => list([PET]), async (endpoint) => {
    assert.equal((await exchange(endpoint, "GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n"))?.status, 200);
    assert.equal((await exchange(endpoint, "GET /v1/pets HTTP/9.9\r\nHost: x\r\n\r\n"))?.status, 400);
  }));

test("a raw socket refuses an answer that nobody asked for, and one that comes where the end should", () =>
  withAnswer(() => list([]), async (endpoint) => {
    const request = "GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    using first = await RawSocket.open(endpoint);
    await first.sendRest(request);
    await assert.rejects(first.readResponse(), /no request was sent for/);
    using second = await RawSocket.open(endpoint);
    await second.send(request);
    await assert.rejects(second.readEnd(), /More came than was asked for/);
  }));

/** The same for what the standalone server has beside the petstore: an answer that is described, or is not. */
const SERVER_CASES: [what: string, path: string, answer: Response, told?: RegExp][] = [
  ["a probe", "/livez", Response.json({ status: "ok" }, { headers: NO_SNIFF })],
  ["a probe of another kind", "/livez", Response.json({ status: "fine" }, { headers: NO_SNIFF }), /constant/],
  ["a probe below the base path", "/v1/livez", Response.json({ status: "ok" }, { headers: NO_SNIFF }), /not described/],
  ["a probe that wants a key", "/livez", failure(401, "missing_api_key", CHALLENGE), /not described/],
  ["its description", "/openapi.json", list(describeServer({}), { "access-control-allow-origin": "*" })],
  ["another description", "/openapi.json", list({ ...describeServer({}), openapi: "3.0.0" }), /constant/],
  ["a refused Host header", "/v1/pets/1", failure(400, "invalid_host")],
  [
    "a refusal without its headers",
    "/livez",
    failure(503, "store_unavailable", { connection: "close" }),
    /retry-after/,
  ],
  ["a refusal", "/nowhere", failure(503, "store_unavailable", { connection: "close", "retry-after": "1" })],
  ["a failure on no path", "/nowhere", failure(503, "store_unavailable", { "retry-after": "5" }), /not described/],
];

for (const [what, path, answer, told] of SERVER_CASES) {
  test(`the standalone server may${told ? " not" : ""} answer ${path} with ${what}`, async () => {
    const { status, headers } = answer;
    const seen = { status, headers, text: await answer.text() };
    if (told) assert.throws(() => validateServerAnswer("GET", path, seen), told);
    else validateServerAnswer("GET", path, seen);
  });
}

test("no test asks a server by a way that leaves its answers unread by the validator", async () => {
  const found: string[] = [];
  const folders = "contract,postgres,project,security,server,sockets,stores,support,unit";
  for (const path of globSync(`{${folders}}/**/*.ts`, { cwd: TESTS })) {
    const code = await Deno.readTextFile(`${TESTS}${path}`);
    if (/\bfetch\(|\bDeno\.connect\b|"node:(http|https|net)"/.test(code)) found.push(path);
  }
  assert.deepEqual(found.sort(), [
    // A file of its own, from a server that has nothing else.
    "sockets/large_answers_test.ts",
    "support/http/raw_socket.ts",
    "support/http/send_alone.ts",
    "support/server/server_process.ts",
    // It listens for a moment, and is asked nothing.
    "support/system/free_port.ts",
    // The bytes of one listener on three runtimes. Its answers are read by the validator in tests/hosts.
    "unit/node_http2_test.ts",
    "unit/node_listener_test.ts",
  ]);
});
