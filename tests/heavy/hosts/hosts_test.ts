/** Tests of each host in a process of its own, and of two ways to mount a petstore that no host needs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertConforms } from "../../support/conformance.ts";
import { surviveHostileRequests } from "./hostile_requests.ts";
import { testUnless } from "../../support/system/commands.ts";
import { BUN_RUNTIME, DENO, NODE_24, type RunningFile, startProgram, whyNot } from "./driver/program.ts";
import { HOSTS } from "./hosts.ts";

const KEY = "pk_example";

for (const host of HOSTS) {
  const { name, runtime, differs = {} } = host, testHost = testUnless(whyNot(runtime));
  testHost(`${name} keeps the HTTP contract, except as docs/hosts.md says, beside the app's own route`, async () => {
    await using program = await startProgram(host);
    const response = await fetch(`${program.origin}/hello`);
    assert.deepEqual([response.status, await response.text()], [200, "Hello from the app"]);
    const target = { baseUrl: `${program.origin}/v1`, key: KEY };
    await assertConforms(target, { always: Object.values(differs).flat() });
  });
  testHost(`${name} survives hostile requests`, async () => {
    await using program = await startProgram(host);
    await surviveHostileRequests(program, KEY);
  });
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** Starts a program, and sends requests with its key. */
async function withProgram(file: RunningFile, use: (ask: Ask) => Promise<void>): Promise<void> {
  await using program = await startProgram(file);
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  await use((path, init = {}) => fetch(new URL(path, program.origin), { ...init, headers }));
}

/** Adds a pet, and returns its Location. */
async function add(ask: Ask, path: string): Promise<string | null> {
  const response = await ask(path, { method: "POST", body: '{"name":"Rex","categoryId":9007199254740993}' });
  assert.equal(response.status, 201);
  await response.text();
  return response.headers.get("location");
}

const testOnBun = testUnless(whyNot(BUN_RUNTIME));

testOnBun(
  "a petstore that is the default export is a whole program on Bun",
  () =>
    withProgram({ runtime: BUN_RUNTIME, file: "../driver/default_export.ts" }, async (ask) => {
      assert.equal(await add(ask, "/v1/pets"), "/v1/pets/1");
    }),
);

testOnBun(
  "Bun does not hang up before the petstore's 408 to a body that stalls for the default time",
  () =>
    withProgram({ runtime: BUN_RUNTIME, file: "bun.ts" }, async (ask) => {
      const begun = new TextEncoder().encode('{"name":');
      const body = new ReadableStream({ start: (controller) => controller.enqueue(begun) });
      assert.equal((await (await ask("/v1/pets", { method: "POST", body })).json()).code, "request_timeout");
    }),
);

testUnless(whyNot(NODE_24))(
  "a middleware of Hono on Node adds its header to the 201 of a create",
  () =>
    withProgram({ runtime: NODE_24, file: "../driver/hono_middleware.ts" }, async (ask) => {
      const { status, headers } = await ask("/v1/pets", { method: "POST", body: '{"name":"Rex","categoryId":1}' });
      assert.deepEqual([status, headers.get("x-app"), headers.get("location")], [201, "hello", "/v1/pets/1"]);
    }),
);

test("links are right below a router of Hono that removes the prefix", () =>
  withProgram({ runtime: DENO, file: "behind_prefix.ts" }, async (ask) => {
    for (const id of [1, 2]) assert.equal(await add(ask, "/api/v1/pets"), `/api/v1/pets/${id}`);
    const page = await ask("/api/v1/pets?limit=1");
    await page.text();
    const [, next = ""] = /^<(\/api\/v1\/pets\?[^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "") ?? [];
    assert.equal((await (await ask(next)).json())[0].id, 2);
  }));
