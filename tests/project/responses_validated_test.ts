/** The validation in the tests: a response that the description does not have fails, whichever client a test uses. */

import { openApiOf, serverOpenApiOf } from "../support/descriptions.ts";
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { withDenoServe } from "../support/http/deno_serve.ts";
import { createResponseValidator } from "../support/openapi_validator.ts";
import { type Endpoint, exchange, RawSocket } from "../support/http/raw_socket.ts";
import { OPTIONS, validateServerResponse } from "../support/server/server_description.ts";

const TESTS = fileURLToPath(new URL("../", import.meta.url));

const VALIDATE = createResponseValidator(openApiOf(), "/v1");
const CHALLENGE = { "www-authenticate": 'Bearer realm="petstore"' };

/** Serves the same response to every request while `use` runs. */
function withResponse(response: () => Response, use: (endpoint: Endpoint) => Promise<void>): Promise<void> {
  return withDenoServe(response, (port) => use({ port, validate: VALIDATE }));
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

const EMPTY = () => new Response(null, { headers: { ...NO_SNIFF, etag: '"2-0-a-b"' } });
// These resemble the responses of Deno.serve itself.
const empty400 = (headers: Record<string, string>) => new Response(null, { status: 400, headers });
const CLOSING = () => Response.json(INVALID_LIMIT, { status: 400, headers: { connection: "close" } });

/** The defect of a response, the response, the message for the test, and the request unless it is `GET /v1/pets`. */
const CASES: [what: string, response: () => Response, told: RegExp, request?: string][] = [
  ["an unknown status", () => new Response(null, { status: 418 }), /not described/],
  ["a status of another path", () => failure(404, "route_not_found"), /not described/],
  ["a code of another status", () => failure(400, "invalid_pet"), /allowed values/],
  ["an unknown header", () => list([], { "x-powered-by": "Petstore" }), /x-powered-by is not described/],
  ["a missing header", () => Response.json([]), /header etag is missing/],
  [
    "a type that a browser may guess",
    () => Response.json([], { headers: { etag: '"2-0-a-b"' } }),
    /nosniff|x-content-type/,
  ],
  ["a weak entity tag", () => list([], { etag: 'W/"2-0-a-b"' }), /pattern/],
  ["a missing challenge", () => failure(401, "missing_api_key"), /www-authenticate is missing/, "GET /nowhere"],
  ["another Content-Type", () => list([], { "content-type": "text/json" }), /Content-Type is text\/json/],
  ["an unknown member", () => list([{ ...PET, age: 3 }]), /additional properties/],
  ["a missing member", () => list([{ ...PET, status: undefined }]), /required property 'status'/],
  ["an empty body", EMPTY, /Content-Type is null/],
  ["status 400 and no body", () => empty400(NO_SNIFF), /Content-Type is null/],
  [
    "Connection: close and an unknown header",
    () => empty400({ connection: "close", allow: "GET" }),
    /allow is not desc/,
  ],
  ["Connection: close and a body", CLOSING, /not described/, "PUT /v1/pets"],
];

test("a raw socket rejects a response that is not described", async () => {
  for (const [what, response, told, request = "GET /v1/pets"] of CASES) {
    await withResponse(response, async (endpoint) => {
      await assert.rejects(exchange(endpoint, `${request} HTTP/1.1\r\nHost: x\r\n\r\n`), told, what);
    });
  }
});

test("a raw socket accepts described responses, and those of Deno.serve itself", () =>
  withResponse(() => list([PET]), async (endpoint) => {
    assert.equal((await exchange(endpoint, "GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n"))?.status, 200);
    assert.equal((await exchange(endpoint, "GET /v1/pets HTTP/9.9\r\nHost: x\r\n\r\n"))?.status, 400);
  }));

test("a raw socket rejects a response without a request, and one in place of the end", () =>
  withResponse(() => list([]), async (endpoint) => {
    const request = "GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    using first = await RawSocket.open(endpoint);
    await first.sendRest(request);
    await assert.rejects(first.readResponse(), /no request was sent for/);
    using second = await RawSocket.open(endpoint);
    await second.send(request);
    await assert.rejects(second.readEnd(), /More came than was asked for/);
  }));

/** The same for the standalone server's other responses. Those with a message are not described. */
const SERVER_CASES: [what: string, path: string, response: Response, told?: RegExp][] = [
  ["a probe", "/livez", Response.json({ status: "ok" }, { headers: NO_SNIFF })],
  ["a probe with another status", "/livez", Response.json({ status: "fine" }, { headers: NO_SNIFF }), /constant/],
  ["a probe below the base path", "/v1/livez", Response.json({ status: "ok" }, { headers: NO_SNIFF }), /not described/],
  ["a probe that requires a key", "/livez", failure(401, "missing_api_key", CHALLENGE), /not described/],
  ["the description", "/openapi.json", list(serverOpenApiOf(OPTIONS), { "access-control-allow-origin": "*" })],
  ["another description", "/openapi.json", list({ ...serverOpenApiOf(OPTIONS), openapi: "3.0.0" }), /constant/],
  ["a refused Host header", "/v1/pets/1", failure(400, "invalid_host")],
  [
    "a refusal without its headers",
    "/livez",
    failure(503, "store_unavailable", { connection: "close" }),
    /retry-after/,
  ],
  ["a refusal", "/nowhere", failure(503, "store_unavailable", { connection: "close", "retry-after": "1" })],
  [
    "a failure on an unknown path",
    "/nowhere",
    failure(503, "store_unavailable", { "retry-after": "5" }),
    /not described/,
  ],
];

test("a response of the standalone server is held against its description", async () => {
  for (const [what, path, response, told] of SERVER_CASES) {
    const { status, headers } = response;
    const seen = { status, headers, text: await response.text() };
    if (told) assert.throws(() => validateServerResponse("GET", path, seen), told, what);
    else validateServerResponse("GET", path, seen);
  }
});

test("every client of the tests validates the responses that it reads", async () => {
  const found: string[] = [];
  const folders = "contract,postgres,project,security,server,sockets,stores,support,unit";
  for (const path of globSync(`{${folders}}/**/*.ts`, { cwd: TESTS })) {
    const code = await Deno.readTextFile(`${TESTS}${path}`);
    if (/\bfetch\(|\bDeno\.connect\b|"node:(http2?|https|net)"/.test(code)) found.push(path);
  }
  assert.deepEqual(found.sort(), [
    // Metrics are no part of the API.
    "server/metrics_test.ts",
    // Metrics too.
    "server/workers_test.ts",
    // An HTTP/2 client that hardly reads: its tests watch the server's memory.
    "support/http/http2_client.ts",
    "support/http/raw_socket.ts",
    "support/http/send_alone.ts",
    "support/server/server_process.ts",
    // It listens without answering.
    "support/system/free_port.ts",
    // It looks at statuses alone.
    "unit/client_address_test.ts",
    // Raw bytes on three runtimes. tests/hosts validates the responses of the same listener.
    "unit/node_http2_test.ts",
    "unit/node_listener_test.ts",
  ]);
});
