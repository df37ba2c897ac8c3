/** Operations: what follows from a definition, and from it alone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { authorize } from "../../lib/access/authentication.ts";
import type { Caller } from "../../lib/http/context.ts";
import { createCors } from "../../lib/http/cors.ts";
import { createFinisher } from "../../lib/http/finisher.ts";
import { defaultAccess } from "../../lib/http/operation.ts";
import { createPipeline } from "../../lib/http/pipeline.ts";
import type { Reply } from "../../lib/http/reply.ts";
import { ResponseCache } from "../../lib/http/response_cache.ts";
import type { JsonObject } from "../../lib/json_types.ts";
import { renderOperation } from "../../lib/openapi/operations.ts";
import { createOperation, type Definition, type Describe } from "../../lib/operations/definition.ts";
import { DESCRIBED_OPERATIONS, OPERATIONS } from "../../lib/operations/table.ts";
import { createRecovery } from "../../lib/http/recovery.ts";
import { checkOptions } from "../../lib/petstore/settings.ts";
import { createContext } from "../support/context.ts";

test("every operation is described, and no other", () => {
  assert.deepEqual(DESCRIBED_OPERATIONS.map(([definition]) => definition), OPERATIONS);
  const names = DESCRIBED_OPERATIONS.map(([, describe]) => describe(checkOptions({ keys: ["k"] })).id);
  assert.equal(new Set(names).size, OPERATIONS.length);
});

test("a path has at most one parameter, at its end, and each method once", () => {
  const operations = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(operations).size, operations.length);
  for (const { path } of OPERATIONS) assert.match(path, /^(\/[a-z]+)+(\/\{\w+\})?$/);
});

test("a GET is for every caller, because the cache sends its responses to every caller", () => {
  for (const { method, path, access = defaultAccess(method) } of OPERATIONS) {
    if (method === "GET") assert.notEqual(access, "write", path);
  }
});

const OK: Reply = { status: 200, headers: {}, body: null };
const DEPRECATION = { since: 1, sunset: "Thu, 05 Dec 2030 00:00:00 GMT", successor: "/new" };

/** As a newcomer would add them: a deprecated read, and beside it operations that say nothing of rights. */
const DEFINITIONS: Definition[] = [
  { method: "GET", path: "/pets/{petId}", deprecation: DEPRECATION, createHandler: () => () => OK },
  { method: "DELETE", path: "/pets/{petId}", createHandler: () => () => ({ ...OK, status: 204 }) },
  { method: "GET", path: "/old", deprecation: DEPRECATION, createHandler: () => () => OK },
  { method: "POST", path: "/search", access: "read", createHandler: () => () => OK },
  {
    method: "GET",
    path: "/health",
    access: "public",
    createHandler: () => ({ caller }) => ({ ...OK, body: caller.id }),
  },
];

function createService(caller: Caller) {
  let callers = 0;
  const settings = checkOptions({ keys: ["k"] });
  const cors = createCors(["*"], DEFINITIONS.map(({ method }) => method));
  const changes = { additions: 0, alterations: 0 };
  const { respond } = createPipeline({
    cors,
    authenticate: () => (callers++, caller),
    authorize,
    cache: new ResponseCache(() => changes),
    operations: DEFINITIONS.map((definition) => createOperation(definition, settings, "/v1")),
    recover: createRecovery(({ error }) => assert.fail(String(error))),
    finisher: createFinisher({ requestIds: "none" }),
  });
  const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const reply = await respond(createContext(headers, method, path));
    const { code } = typeof reply.body === "string" && reply.status >= 400
      ? JSON.parse(reply.body)
      : { code: undefined };
    return { ...reply, code };
  };
  return { ask, countCallers: () => callers };
}

test("a caller that may only read uses safe methods, and others only if the definition says so", async () => {
  const reader = createService({ id: "a", readOnly: true });
  for (const line of ["GET /v1/pets/1", "HEAD /v1/pets/1", "OPTIONS /v1/pets/1", "POST /v1/search"]) {
    const [method = "", path = ""] = line.split(" ");
    assert.ok((await reader.ask(method, path)).status < 300, line);
  }
  const refused = await reader.ask("DELETE", "/v1/pets/1");
  assert.deepEqual([refused.status, refused.code], [403, "insufficient_scope"]);
  assert.equal((await createService({ id: "b" }).ask("DELETE", "/v1/pets/1")).status, 204);
});

test("a deprecation belongs to its operation, and to a path whose operations all have it", async () => {
  const { ask } = createService({ id: "a" });
  const announced = async (methods: string[], path: string) => {
    const replies = await Promise.all(methods.map((method) => ask(method, path)));
    return methods.filter((_, i) => replies[i]?.headers["sunset"] !== undefined);
  };
  const methods = ["GET", "HEAD", "DELETE", "PUT", "OPTIONS"];
  assert.deepEqual(await announced(methods, "/v1/pets/1"), ["GET", "HEAD"]);
  assert.deepEqual(await announced(methods, "/v1/old"), methods);
});

test("Allow and the methods of a preflight follow from the definitions", async () => {
  const { ask } = createService({ id: "a" });
  assert.equal((await ask("OPTIONS", "/v1/pets/1")).headers["allow"], "GET, HEAD, DELETE, OPTIONS");
  assert.equal((await ask("PUT", "/v1/pets/1")).headers["allow"], "GET, HEAD, DELETE, OPTIONS");
  const preflight = { origin: "https://app.example", "access-control-request-method": "DELETE" };
  const { headers } = await ask("OPTIONS", "/v1/pets/1", preflight);
  assert.equal(headers["access-control-allow-methods"], "GET, DELETE, POST");
});

test("a public operation needs no caller, and neither do other methods of its path", async () => {
  const { ask, countCallers } = createService({ id: "a" });
  assert.equal((await ask("GET", "/v1/health")).body, "anonymous");
  assert.deepEqual([(await ask("POST", "/v1/health")).status, (await ask("OPTIONS", "/v1/health")).status], [405, 204]);
  assert.equal(countCallers(), 0);
  assert.equal((await ask("GET", "/v1/nothing")).status, 404);
  assert.equal(countCallers(), 1);
});

test("the description has the deprecation, the stability and the failures that follow from a definition", () => {
  const describe: Describe = () => ({
    id: "deletePet",
    tag: "animals",
    summary: "Delete an animal",
    description: "It is gone.",
    responses: { 204: { description: "Deleted." } },
    failures: [],
  });
  const settings = checkOptions({ keys: ["k"] });
  const render = (definition: Partial<Definition>) => {
    const whole = {
      method: "DELETE",
      path: "/pets/{petId}",
      createHandler: () => () => OK,
      ...definition,
    } as Definition;
    return renderOperation(whole, describe, settings, []);
  };
  const { method, path, operationObject: definition } = render({ stability: "beta" });
  assert.deepEqual([method, path, definition["operationId"]], ["delete", "/pets/{petId}", "deletePet"]);
  assert.equal(definition["x-stability"], "beta");
  assert.deepEqual(Object.keys(definition["responses"] as JsonObject), ["204", "401", "403", "500"]);
  assert.equal("deprecated" in definition, false);

  const old = render({ deprecation: DEPRECATION, access: "read" }).operationObject;
  assert.deepEqual([old["deprecated"], old["x-deprecated-sunset"], "x-stability" in old], [true, "2030-12-05", false]);
  assert.equal(old["description"], "Deprecated, to be removed on 2030-12-05. It is gone.");
  const responses = old["responses"] as Record<string, { headers?: JsonObject }>;
  assert.deepEqual(Object.keys(responses), ["204", "401", "500"]);
  assert.deepEqual((responses["204"]?.headers?.["Deprecation"] as JsonObject)["schema"], {
    type: "string",
    const: "@1",
  });

  const open = render({ access: "public", method: "GET" }).operationObject;
  assert.deepEqual([open["security"], Object.keys(open["responses"] as JsonObject)], [[], ["204", "500"]]);
});
