/** What the standalone server adds to the path of a request: a guard before all else, and operations without a key. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandles } from "../../lib/hosts/fetch.ts";
import type { Operation } from "../../lib/http/operation.ts";
import { Problem } from "../../lib/http/problem.ts";
import type { HeaderFields } from "../../lib/http/reply.ts";
import { createService, type ServiceParts } from "../../lib/petstore/service.ts";
import { checkOptions } from "../../lib/petstore/checked_options.ts";
import type { ResponseInfo } from "../../mod.ts";

const KEY = "pk_test";
const ORIGIN = "https://app.example";

/** Sends requests to a service with these parts, by default without a key. */
function createSend(parts: ServiceParts, onResponse: (info: ResponseInfo) => void = () => {}) {
  const settings = checkOptions({ keys: [KEY], requestIds: "failures", cors: { origins: [ORIGIN] }, onResponse });
  const { handle } = createHandles(createService(settings, parts));
  return async (method: string, path: string, headers: Record<string, string> = {}) => {
    const response = await handle(new Request(`http://h${path}`, { method, headers: { origin: ORIGIN, ...headers } }));
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

test("a guard refuses a request before all else, and its response has the common headers", async () => {
  const send = createSend({
    guard: ({ target }) => target === "/v1/pets" ? new Problem(400, "invalid_host", "Refused") : undefined,
  });
  const { status, headers, text } = await send("OPTIONS", "/v1/pets", { "access-control-request-method": "GET" });
  assert.deepEqual([status, text], [400, '{"code":"invalid_host","message":"Refused","status":400}']);
  assert.ok(headers.get("x-request-id"));
  assert.equal(headers.get("access-control-allow-origin"), ORIGIN);
  assert.equal((await send("GET", "/v1/pets/1")).status, 401);
});

function operation(method: Operation["method"], path: string, access: Operation["access"]): Operation {
  return {
    method,
    path,
    access,
    effect: method === "GET" ? "reads" : "writes",
    handler: ({ caller: { id, readOnly }, query }) => {
      return { status: 200, headers: {}, body: `${method} by ${id}, ${readOnly}, ${query}` };
    },
  };
}

test("a public operation needs no key, and the other methods of its path only if one of them does", async () => {
  const send = createSend({
    operations: [
      operation("GET", "/open", "public"),
      operation("GET", "/mixed", "public"),
      operation("PUT", "/mixed", "key"),
    ],
  });
  for (const path of ["/open", "/mixed"]) {
    assert.equal((await send("GET", `${path}?a=1`)).text, "GET by anonymous, true, a=1");
  }
  // This holds also where OPTIONS would be a preflight.
  for (const [method, status] of [["DELETE", 405], ["OPTIONS", 204]] as const) {
    const response = await send(method, "/open", { "access-control-request-method": "GET" });
    assert.deepEqual([response.status, response.headers.get("allow")], [status, "GET, HEAD, OPTIONS"]);
  }
  for (const method of ["PUT", "DELETE", "OPTIONS"]) assert.equal((await send(method, "/mixed")).status, 401);
  const authorization = `Bearer ${KEY}`;
  assert.match((await send("PUT", "/mixed", { authorization })).text, /^PUT by (?!anonymous)/);
});

test("an operation may grant more origins, its Vary stays beside that of CORS, and bytes have their length", async () => {
  const sizes: unknown[] = [];
  const body = new TextEncoder().encode("Zoë");
  const replying = (path: string, headers: HeaderFields): Operation => {
    return { ...operation("GET", path, "public"), handler: () => ({ status: 200, headers, body }) };
  };
  const send = createSend({
    operations: [
      replying("/any", { "access-control-allow-origin": "*" }),
      replying("/file", { vary: "Accept-Encoding", etag: '"1"' }),
    ],
  }, ({ bodyBytes }) => sizes.push(bodyBytes));
  const any = await send("GET", "/any"), file = await send("HEAD", "/file");
  const fieldsOf = ({ headers }: { headers: Headers }) =>
    ["allow-origin", "expose-headers"].map((name) => headers.get(`access-control-${name}`)).concat(headers.get("vary"));
  assert.deepEqual([fieldsOf(any), any.text], [["*", null, null], "Zoë"]);
  assert.deepEqual([fieldsOf(file), file.headers.get("content-length")], [
    [ORIGIN, "etag", "Accept-Encoding, Origin"],
    "4",
  ]);
  assert.deepEqual(sizes, [4, 0]);
});
