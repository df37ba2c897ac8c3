/** The validation in the tests: a response that the description does not have fails, whichever client a test uses. */

import { serverOpenApiOf } from "../support/descriptions.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { withDenoServe } from "../support/http/deno_serve.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { OPTIONS, validateServerResponse } from "../support/server/server_description.ts";

const PLAIN = { "content-type": "application/json", "x-content-type-options": "nosniff" };
const TAGGED = { ...PLAIN, etag: 'W/"eaaaaaaadggmkofnlmhklako"' };

function list(json: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(json, { headers: { ...TAGGED, ...headers } });
}

function failure(status: number, code: string, headers: Record<string, string> = {}): Response {
  const body = { code, message: "…", status };
  return Response.json(body, { status, headers: { ...PLAIN, ...headers } });
}

const PET = { id: 1, name: "Rex", categoryId: 7, status: "sold" };
const LIST = "GET /v1/pets";
const CHALLENGE = { "www-authenticate": 'Bearer realm="petstore"' };
const DESCRIPTION = serverOpenApiOf(OPTIONS);

/** A response, the request, and what the validator says of it; nothing if it is described. */
const CASES: [what: string, request: string, response: Response, told?: RegExp][] = [
  ["a list", LIST, list([PET])],
  ["an unknown status", LIST, new Response(null, { status: 418 }), /not described/],
  ["a status of another path", LIST, failure(404, "route_not_found"), /not described/],
  ["a code of another status", LIST, failure(400, "invalid_pet"), /allowed values/],
  ["an unknown header", LIST, list([], { "x-powered-by": "Petstore" }), /x-powered-by is not described/],
  ["a missing header", LIST, Response.json([], { headers: PLAIN }), /header etag is missing/],
  ["a type that a browser may guess", LIST, list([], { "x-content-type-options": "" }), /constant|allowed values/],
  ["an unusable request id", LIST, list([], { "x-request-id": "a b" }), /pattern/],
  ["a strong entity tag", LIST, list([], { etag: '"eaaaaaaadggmkofnlmhklako"' }), /pattern/],
  ["a missing challenge", "GET /nowhere", failure(401, "missing_api_key"), /www-authenticate is missing/],
  ["another Content-Type", LIST, list([], { "content-type": "text/json" }), /Content-Type is text\/json/],
  ["an unknown member", LIST, list([{ ...PET, age: 3 }]), /additional properties/],
  ["a missing member", LIST, list([{ ...PET, status: undefined }]), /required property 'status'/],
  ["an empty body", LIST, new Response(null, { headers: TAGGED }), /JSON/],
  ["another method", "PUT /v1/pets", failure(405, "method_not_allowed", { allow: "GET, POST" })],
  ["another method without Allow", "PUT /v1/pets", failure(405, "method_not_allowed"), /allow is missing/],
  ["a probe", "GET /livez", new Response('{"status":"ok"}', { headers: PLAIN })],
  ["a probe with another status", "GET /livez", failure(200, "ok"), /allowed values/],
  ["a probe below the base path", "GET /v1/livez", list({ status: "ok" }), /not described/],
  ["a probe that requires a key", "GET /livez", failure(401, "missing_api_key", CHALLENGE), /not described/],
  ["the description", "GET /openapi.json", list(DESCRIPTION, { "access-control-allow-origin": "*" })],
  ["another description", "GET /openapi.json", list({ ...DESCRIPTION, openapi: "3.0.0" }), /allowed values/],
  ["a refused Host header", "GET /v1/pets/1", failure(400, "invalid_host")],
  ["a request that Node cannot read", "GET /v1/pets/1", failure(400, "bad_request")],
  ["a head that is too large", "GET /nowhere", failure(431, "head_too_large")],
  ["a head that is too slow", "GET /v1/pets", failure(408, "request_timeout")],
  ["a refusal", "GET /nowhere", failure(503, "store_unavailable", { connection: "close", "retry-after": "1" })],
  ["one without its headers", "GET /livez", failure(503, "store_unavailable", { connection: "close" }), /retry-after/],
  [
    "one on an unknown path",
    "GET /nowhere",
    failure(503, "store_unavailable", { "retry-after": "5" }),
    /not described/,
  ],
];

test("a response of the standalone server is held against its description", async () => {
  for (const [what, request, { status, headers, body }, told] of CASES) {
    const [method = "", path = ""] = request.split(" ");
    const seen = { status, headers, text: await new Response(body).text() };
    if (told) assert.throws(() => validateServerResponse(method, path, seen), told, what);
    else validateServerResponse(method, path, seen);
  }
});

const REQUEST = `${LIST} HTTP/1.1\r\nHost: x\r\n\r\n`;

test("a raw socket rejects a response that is not described, also where it resembles one of Deno.serve itself", async () => {
  for (const headers of [TAGGED, { connection: "close", allow: "GET" }]) {
    await withDenoServe(() => new Response(null, { status: 400, headers }), async (port) => {
      const endpoint = { port, validate: validateServerResponse };
      await assert.rejects(exchange(endpoint, REQUEST), /not described|Content-Type is null/);
    });
  }
});
