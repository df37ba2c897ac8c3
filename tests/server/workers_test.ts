/** Limits and counts of a server as a whole: of several workers, and of clients behind a proxy. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createRateLimit } from "../../mod.ts";
import { Http2Client } from "../support/http/http2_client.ts";
import { valuesOf } from "../support/server/metrics.ts";
import { readKey, request, withFreshServer } from "../support/server/server_process.ts";
import { onDenoAlone } from "../support/server/serve_task.ts";
import { testUnless } from "../support/system/commands.ts";
import { freePort } from "../support/system/free_port.ts";
import { until } from "../support/until.ts";
import { serverOpenApiOf } from "../support/descriptions.ts";
import { type AnyServer, withFreshServerHere } from "../support/server/in_process.ts";
import { createResponseValidator } from "../support/openapi_validator.ts";

const LIMIT = { requests: 5, windowMs: 3_600_000 };
const validate = createResponseValidator(
  serverOpenApiOf({ requestIds: "failures", rateLimit: createRateLimit(LIMIT) }),
  "/v1",
);

/** Sends requests to a server with this limit, each on a connection of its own, so that every worker gets some. */
async function limitedStatuses({ origin }: Pick<AnyServer, "origin">, count: number, key: string, client = "") {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) {
    const headers = { "x-real-ip": client, connection: "close" };
    const { status } = await request(`${origin}/v1/pets`, key, { headers }, validate);
    statuses.push(status);
  }
  return statuses;
}

testUnless(onDenoAlone("workers"))(
  "several workers count requests and limits together, and know where the key is",
  async () => {
    const port = await freePort();
    const args = ["--workers=2", `--metrics=127.0.0.1:${port}`, "--rate-limit=5/1h", "--log=off"];
    await withFreshServer({ args }, async (server, folder) => {
      const key = readKey(folder);
      assert.deepEqual(await limitedStatuses(server, 20, key), [...Array(5).fill(200), ...Array(15).fill(429)]);
      const page = (await server.ask("/docs", null)).text;
      assert.match(page, /The operator has it: in <code>data\/api-key<\/code>/);
      assert.ok(!page.includes(key));
      await until("all requests are counted", async () => {
        const values = valuesOf(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
        return values.get("petstore_requests_total GET /v1/pets 200") === 5 &&
          values.get("petstore_requests_total GET  429") === 15;
      });
      assert.equal(await server.stop(), 0);
    });
  },
);

test("--client-header tells clients behind a proxy apart", () => {
  const args = ["--key=a", "--rate-limit=5/1h", "--client-header=X-Real-IP", "--store=memory:"];
  return withFreshServerHere({ args }, async (server) => {
    assert.deepEqual(await limitedStatuses(server, 6, "wrong", "10.0.0.1"), [...Array(5).fill(401), 429]);
    assert.deepEqual(await limitedStatuses(server, 1, "a", "10.0.0.2"), [200]);
  });
});

for (const [source, ...keys] of [["in the store"], ["the digest of a setting", `--key=sha256:${"0".repeat(64)}`]]) {
  const title =
    `the limit counts each of 200 guesses that come at once, first of all requests, if the key is ${source}`;
  testUnless(onDenoAlone("HTTP/2 without TLS"))(title, () => {
    const args = ["--rate-limit=5/1h", ...keys];
    // In a process of its own: the events of client and server would alternate.
    return withFreshServer({ args }, async ({ port }) => {
      using client = new Http2Client(port);
      await client.agreed();
      const guesses = Array.from({ length: 200 }, (_, i) => {
        return client.statusOf("/v1/pets", { authorization: `Bearer guess${i}` });
      });
      const statuses = await Promise.all(guesses);
      assert.deepEqual(statuses.toSorted(), [...Array(5).fill(401), ...Array(195).fill(429)]);
    });
  });
}
