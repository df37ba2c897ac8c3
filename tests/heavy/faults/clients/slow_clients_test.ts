/** Clients that open thousands of connections, and send slowly, endlessly or nothing. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { withImpatientServer } from "./impatient_server.ts";
import { memoryOf } from "../../../support/system/process.ts";
import { until } from "../../../support/until.ts";
import { CHUNKED, get, head } from "../../../support/http/requests.ts";
import { type Endpoint, exchange, RawSocket } from "../../../support/http/raw_socket.ts";
import { withFreshServer } from "../../../support/server/server_process.ts";
import { testUnless } from "../../../support/system/commands.ts";

const LIST = get("/v1/pets");

/** Longer than any of these tests, in milliseconds. */
const GUARD = 30_000;

const test = testUnless(Deno.build.os === "linux" ? whyTooFewFiles(2_100) : "only Linux tells what a process uses");

/** Why so many connections cannot be opened here, or `false`. */
function whyTooFewFiles(wanted: number): string | false {
  const limit = Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
  return limit < wanted ? `a process may open ${limit} files only, and ${wanted} are needed: see ulimit -n` : false;
}

type Measured = Endpoint & { pid: number };

function openFilesOf({ pid }: Measured): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

async function assertServes(server: Endpoint): Promise<void> {
  assert.equal((await exchange(server, LIST))?.text, "[]");
}

/** A server that has answered a request, so that it has its usual memory. */
async function withQuietServer(use: (server: Measured) => Promise<void>): Promise<void> {
  await withFreshServer({ args: ["--key=k", "--store=memory:", "--log=off"] }, async (server) => {
    await assertServes(server);
    await use(server);
  });
}

/** Opens connections that send these bytes. While they are open, the server serves others. */
async function withSockets(
  server: Measured,
  count: number,
  bytes: string,
  use: () => Promise<void>,
): Promise<void> {
  const sockets: RawSocket[] = [], files = openFilesOf(server);
  try {
    for (let i = 0; i < count; i++) sockets.push(await RawSocket.open(server, GUARD));
    await Promise.all(sockets.map((socket) => socket.send(bytes)));
    await assertServes(server);
    await use();
  } finally {
    for (const socket of sockets) socket.close();
  }
  // The server's clock and the like use a descriptor or two.
  await until("connections forgotten", () => openFilesOf(server) < files + 10);
}

test("200 bodies of 1 MB without their last byte, three times in a row, take little more than the budget of all bodies", () =>
  withQuietServer(async (server) => {
    const before = memoryOf(server.pid).most;
    const body = head("POST", "/v1/pets", "Content-Length: 1000001\r\n") + "x".repeat(1_000_000);
    for (let round = 0; round < 3; round++) await withSockets(server, 200, body, () => Promise.resolve());
    const growth = memoryOf(server.pid).most - before;
    assert.ok(growth < 256, `${growth} MiB more`);
  }));

test("2,000 open connections that have sent a part of a head do not block others, and are forgotten when they close", () =>
  withQuietServer(async (server) => {
    const memory = memoryOf(server.pid).now, files = openFilesOf(server);
    await withSockets(server, 2000, LIST.slice(0, 30), async () => {
      // The server may have closed a descriptor or two since, such as that of the first request.
      await until("2,000 connections accepted", () => openFilesOf(server) >= files + 1990);
      await assertServes(server);
      const growth = memoryOf(server.pid).now - memory;
      assert.ok(growth < 128, `${growth} MiB more`);
    });
    await assertServes(server);
  }));

// `Deno.serve` hides the trailers from the reader of the body.
test("endless trailers of a chunked body are held until the body times out, and then forgotten", () =>
  withImpatientServer(async (server) => {
    const before = memoryOf(server.pid).now;
    using socket = await RawSocket.open(server, GUARD);
    let isTaken = await socket.send(head("POST", "/v1/pets", CHUNKED) + "2\r\n{}\r\n0\r\n");
    const fields = new TextEncoder().encode(`x: ${"y".repeat(60)}\r\n`.repeat(1000));
    while (isTaken) {
      isTaken = await socket.sendRest(fields);
      // The pause keeps the speed of the machine from deciding the memory.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await until("memory given back", () => memoryOf(server.pid).now < before + 48);
  }));
