/** The rate limit of a server: by caller, by address, over all workers. */

import assert from "node:assert/strict";
import { serverOpenApiOf } from "../support/descriptions.ts";
import { createResponseValidator } from "../support/openapi_validator.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { testUnless } from "../support/system/commands.ts";
import { type ServerProcess, withFreshServer } from "../support/server/server_process.ts";

const test = Object.assign(testUnless(false), { workers: testUnless(ON_NODE && "workers need Deno") });

const LIMIT = { requests: 5, windowMs: 3_600_000 };
const validate = createResponseValidator(serverOpenApiOf({ requestIds: "failures", rateLimit: LIMIT }), "/v1");

/** Sends requests, each on a connection of its own, so that every worker gets some. Checks each response against the description. */
async function statusesOf(server: ServerProcess, count: number, key: string, client = ""): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) {
    const headers = { authorization: `Bearer ${key}`, "x-real-ip": client, connection: "close" };
    const response = await fetch(`${server.origin}/v1/pets`, { headers });
    validate("GET", "/v1/pets", { status: response.status, headers: response.headers, text: await response.text() });
    statuses.push(response.status);
  }
  return statuses;
}

const times = (count: number, status: number): number[] => Array(count).fill(status);

test("--rate-limit counts each caller and each address without a valid key, and leaves probes alone", () =>
  withFreshServer({ args: ["--key=a", "--key=b", "--rate-limit=5/1h", "--log=off"] }, async (server) => {
    assert.deepEqual(await statusesOf(server, 7, "a"), [...times(5, 200), 429, 429]);
    assert.deepEqual(await statusesOf(server, 1, "b"), [200]);
    assert.deepEqual(await statusesOf(server, 6, "wrong"), [...times(5, 401), 429]);
    // The address has used up its limit.
    assert.deepEqual(await statusesOf(server, 1, "b"), [429]);
    for (let i = 0; i < 10; i++) assert.equal((await server.ask("/readyz", null)).status, 200);
    assert.equal(await server.stop(), 0);
  }));

test("--client-header tells clients behind a proxy apart", () =>
  withFreshServer({ args: ["--key=a", "--rate-limit=5/1h", "--client-header=X-Real-IP"] }, async (server) => {
    assert.deepEqual(await statusesOf(server, 6, "wrong", "10.0.0.1"), [...times(5, 401), 429]);
    assert.deepEqual(await statusesOf(server, 1, "a", "10.0.0.2"), [200]);
    assert.equal(await server.stop(), 0);
  }));

test.workers("several workers count together", () =>
  withFreshServer({ args: ["--key=a", "--rate-limit=5/1h", "--workers=2", "--log=off"] }, async (server) => {
    assert.deepEqual(await statusesOf(server, 20, "a"), [...times(5, 200), ...times(15, 429)]);
    assert.equal(await server.stop(), 0);
  }));
