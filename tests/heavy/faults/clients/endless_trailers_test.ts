/** Endless trailers of a chunked body, which `Deno.serve` hides from the reader of the body. */

import assert from "node:assert/strict";
import { withImpatientServer } from "./impatient_server.ts";
import { whyNoNginx, withProxy } from "../../../support/nginx/nginx.ts";
import { memoryOf } from "../../../support/system/process.ts";
import { until } from "../../../support/until.ts";
import { CHUNKED } from "../../../support/http/requests.ts";
import { type Endpoint, RawSocket } from "../../../support/http/raw_socket.ts";
import { NO_PROC, testUnless } from "../../../support/system/commands.ts";

const test = testUnless(NO_PROC);

const FIELDS = new TextEncoder().encode(`x: ${"y".repeat(60)}\r\n`.repeat(1000));

/** Sends trailers until the server closes or has taken `blocks`. Returns whether it took all. */
async function sendTrailers(server: Endpoint, blocks = Infinity): Promise<boolean> {
  using socket = await RawSocket.open(server, 30_000);
  let isTaken = await socket.send(
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n${CHUNKED}\r\n2\r\n{}\r\n0\r\n`,
  );
  for (let i = 0; i < blocks && isTaken; i++) {
    isTaken = await socket.sendRest(FIELDS);
    // The pause keeps the speed of the machine from deciding the memory.
    if (blocks === Infinity) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return isTaken;
}

test("endless trailers are held until the body times out, and then forgotten", () =>
  withImpatientServer(async (server) => {
    assert.equal(await sendTrailers(server, 1), true);
    const before = memoryOf(server.pid).now;
    assert.equal(await sendTrailers(server), false);
    await until("memory given back", () => memoryOf(server.pid).now < before + 48);
  }));

testUnless(NO_PROC || whyNoNginx())(
  "endless trailers do not reach the petstore through nginx",
  () =>
    withProxy({}, async (nginx, { pid }) => {
      const before = memoryOf(pid).most;
      await sendTrailers(nginx, 200);
      const growth = memoryOf(pid).most - before;
      assert.ok(growth < 8, `${growth} MiB more`);
    }),
);
