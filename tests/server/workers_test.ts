/** What several workers do as one server. */

import assert from "node:assert/strict";
import { valuesOf } from "../support/server/metrics.ts";
import { readKey, withFreshServer } from "../support/server/server_process.ts";
import { onDenoAlone } from "../support/server/serve_task.ts";
import { testUnless } from "../support/system/commands.ts";
import { freePort } from "../support/system/free_port.ts";
import { until } from "../support/until.ts";
import { limitedStatuses } from "./rate_limit.ts";

testUnless(onDenoAlone("workers"))(
  "several workers count requests and limits together, and know where the key is",
  async () => {
    const port = await freePort();
    const args = ["--workers=2", `--metrics=127.0.0.1:${port}`, "--rate-limit=5/1h", "--log=off"];
    await withFreshServer({ args }, async (server, folder) => {
      const key = readKey(folder);
      assert.deepEqual(await limitedStatuses(server, 20, key), [...Array(5).fill(200), ...Array(15).fill(429)]);
      const page = (await server.ask("/docs", null)).text;
      assert.match(page, /The key is in the file <code>data\/api-key<\/code>/);
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
