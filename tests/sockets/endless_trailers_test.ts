/** Fields behind a chunked body that never end, which `Deno.serve` keeps out of sight of whoever reads the body. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { withImpatientServer } from "../support/impatient_server.ts";
import { whyNoNginx, withProxy } from "../support/nginx.ts";
import { memoryOf, until } from "../support/process.ts";
import { CHUNKED } from "../support/raw_petstore.ts";
import { type Endpoint, RawSocket } from "../support/raw_socket.ts";

const KEY = "Authorization: Bearer k\r\n";
const FIELDS = new TextEncoder().encode(`x: ${"y".repeat(60)}\r\n`.repeat(1000));

const skip = Deno.build.os === "linux" ? false : "only Linux tells what a process uses";

/** Sends them until the server closes, or until so many have been taken; answers whether all were. */
async function sendTrailers(server: Endpoint, key: string, blocks = Infinity): Promise<boolean> {
  using socket = await RawSocket.open(server, 30_000);
  let isTaken = await socket.send(`POST /v1/pets HTTP/1.1\r\nHost: x\r\n${key}${CHUNKED}\r\n2\r\n{}\r\n0\r\n`);
  for (let i = 0; i < blocks && isTaken; i++) {
    isTaken = await socket.sendRest(FIELDS);
    // Else the machine's speed would say how much memory this takes.
    if (blocks === Infinity) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return isTaken;
}

test(
  "trailers without end are held until the time of the body is up, and then forgotten",
  { skip },
  () =>
    withImpatientServer(async (server) => {
      assert.equal(await sendTrailers(server, KEY, 1), true);
      const before = memoryOf(server.pid).now;
      assert.equal(await sendTrailers(server, KEY), false);
      await until("memory given back", () => memoryOf(server.pid).now < before + 48);
    }),
);

test("trailers without end and without a key are not read", { skip }, () =>
  withImpatientServer(async (server) => {
    const before = memoryOf(server.pid).most;
    assert.equal(await sendTrailers(server, ""), false);
    const growth = memoryOf(server.pid).most - before;
    assert.ok(growth < 48, `${growth} MiB more`);
  }));

test(
  "behind nginx, trailers without end do not reach the petstore",
  { skip: skip || whyNoNginx() },
  () =>
    withProxy({}, async (nginx, { pid }) => {
      const before = memoryOf(pid).most;
      await sendTrailers(nginx, KEY, 200);
      const growth = memoryOf(pid).most - before;
      assert.ok(growth < 8, `${growth} MiB more`);
    }),
);
