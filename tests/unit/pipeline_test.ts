/** What the standalone server adds to the path of a request: a guard before all else, and operations without a key. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandles } from "../../lib/hosts/fetch.ts";
import type { Cors } from "../../lib/http/cors.ts";
import { createFinisher } from "../../lib/http/finisher.ts";
import type { Operation } from "../../lib/http/operation.ts";
import { Problem } from "../../lib/http/problem.ts";
import type { HeaderFields } from "../../lib/http/reply.ts";
import { createService, type ServiceParts } from "../../lib/petstore/service.ts";
import { checkOptions } from "../../lib/petstore/checked_options.ts";
import type { ResponseInfo } from "../../mod.ts";
import { createContext } from "../support/context.ts";

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
  const preflight = { "access-control-request-method": "GET" };
  for (const [method, headers] of [["GET", {}], ["OPTIONS", preflight]] as const) {
    const { status, headers: fields, text } = await send(method, "/v1/pets", headers);
    assert.deepEqual([status, text], [400, '{"code":"invalid_host","message":"Refused","status":400}']);
    assert.ok(fields.get("x-request-id"));
    assert.equal(fields.get("access-control-allow-origin"), ORIGIN);
  }
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
  const { status, headers } = await send("DELETE", "/open", { "access-control-request-method": "GET" });
  assert.deepEqual([status, headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  // This holds also where it would be a preflight.
  assert.equal(
    (await send("OPTIONS", "/open", { "access-control-request-method": "GET" })).headers.get("allow"),
    "GET, HEAD, OPTIONS",
  );
  for (const method of ["PUT", "DELETE", "OPTIONS"]) assert.equal((await send(method, "/mixed")).status, 401);
  const authorization = `Bearer ${KEY}`;
  assert.match((await send("PUT", "/mixed", { authorization })).text, /^PUT by (?!anonymous)/);
});

test("an operation may grant more origins, and its Vary stays beside that of CORS", async () => {
  const withHeaders = (path: string, headers: HeaderFields): Operation => {
    return { ...operation("GET", path, "public"), handler: () => ({ status: 200, headers, body: null }) };
  };
  const send = createSend({
    operations: [
      withHeaders("/any", { "access-control-allow-origin": "*", etag: '"1"' }),
      withHeaders("/file", { vary: "Accept-Encoding", etag: '"1"' }),
    ],
  });
  for (const [path, granted, vary] of [["/any", "*", null], ["/file", ORIGIN, "Accept-Encoding, Origin"]] as const) {
    const { headers } = await send("GET", path);
    assert.deepEqual([headers.get("access-control-allow-origin"), headers.get("vary")], [granted, vary]);
    assert.equal(headers.get("access-control-expose-headers"), granted === ORIGIN ? "etag" : null);
  }
});

test("onResponse is told the size of bytes, and HEAD has it as Content-Length", async () => {
  const reply = { status: 200, headers: {}, body: new TextEncoder().encode("Zoë") }, sizes: unknown[] = [];
  const operations = [{ ...operation("GET", "/bytes", "public"), handler: () => reply }];
  const send = createSend({ operations }, ({ bodyBytes }) => sizes.push(bodyBytes));
  assert.equal((await send("HEAD", "/bytes")).headers.get("content-length"), "4");
  assert.equal((await send("GET", "/bytes")).text, "Zoë");
  assert.deepEqual(sizes, [0, 4]);
});

test("a reply that cannot be finished is replaced by one that is finished as any other", () => {
  let finished = 0;
  const cors: Cors = {
    preflight: () => ({ status: 204, headers: {}, body: null }),
    extend(reply) {
      if (finished++ === 0) throw new Error("broken");
      return { ...reply, headers: { ...reply.headers, "access-control-allow-origin": ORIGIN } };
    },
  };
  const recover = () => new Problem(500, "internal_error", "Failed");
  const { finish } = createFinisher({ requestIds: "failures", cors, recover });
  const { status, headers, body } = finish({ status: 200, headers: {}, body: "[]" }, createContext({}, "HEAD"), 0);
  assert.deepEqual([status, body, headers["access-control-allow-origin"]], [500, null, ORIGIN]);
  assert.ok(headers["x-request-id"]);
});
