import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { withImpatientServer } from "./impatient_server.ts";
import { memoryOf } from "../../../support/system/process.ts";
import { until } from "../../../support/until.ts";
import { chunk, CHUNKED, get, head, HEADERS, HOST } from "../../../support/http/requests.ts";
import { type Endpoint, exchange, RawSocket } from "../../../support/http/raw_socket.ts";
import { type ServerProcess, withFreshServer } from "../../../support/server/server_process.ts";
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

function openFilesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

async function withQuietServer(use: (server: ServerProcess, pid: number) => Promise<void>): Promise<void> {
  const parts = { args: ["--key=k", "--store=memory:", "--log=off"] };
  await withFreshServer(parts, (server) => use(server, server.pid));
}

async function withSockets(
  server: Endpoint,
  count: number,
  bytes: string,
  use: (sockets: RawSocket[]) => Promise<void>,
): Promise<void> {
  const sockets: RawSocket[] = [];
  try {
    for (let i = 0; i < count; i++) sockets.push(await RawSocket.open(server, GUARD));
    await Promise.all(sockets.map((socket) => socket.send(bytes)));
    await use(sockets);
  } finally {
    for (const socket of sockets) socket.close();
  }
}

const BLOCK = "x".repeat(1_000_000);

const LARGE: [what: string, headers: string, block: string, status: number][] = [
  ["chunks", HEADERS + CHUNKED, chunk(BLOCK), 413],
  ["a length and no key", `${HOST}Content-Length: 200000000\r\n`, BLOCK, 401],
];

test("200 MB are answered with 413, or with 401 without a key, and never held in memory", () =>
  withQuietServer(async (server, pid) => {
    await server.ask("/v1/pets", "k");
    const before = memoryOf(pid).most;
    for (const [what, headers, block, status] of LARGE) {
      using socket = await RawSocket.open(server, GUARD);
      let isTaken = await socket.send(`POST /v1/pets HTTP/1.1\r\n${headers}\r\n`);
      const bytes = new TextEncoder().encode(block);
      for (let i = 0; i < 200 && isTaken; i++) isTaken = await socket.sendRest(bytes);
      // A reset connection may lose the response.
      const response = isTaken ? await socket.readResponse() : undefined;
      if (isTaken) assert.equal(response?.status, status, what);
      const growth = memoryOf(pid).most - before;
      assert.ok(growth < 48, `${what}: ${growth} MiB more`);
    }
  }));

test("200 bodies of 1 MB without their last byte, three times in a row, take little more than the budget of all bodies", () =>
  withQuietServer(async (server, pid) => {
    await server.ask("/v1/pets", "k");
    const before = memoryOf(pid).most;
    const body = head("POST", "/v1/pets", `Content-Length: ${BLOCK.length + 1}\r\n`) + BLOCK;
    for (let round = 0; round < 3; round++) {
      await withSockets(server, 200, body, async () => {
        assert.equal((await exchange(server, LIST))?.text, "[]");
      });
    }
    const growth = memoryOf(pid).most - before;
    assert.ok(growth < 256, `${growth} MiB more`);
  }));

test("2,000 open connections do not block others, and are forgotten when they close", () =>
  withQuietServer(async (server, pid) => {
    await server.ask("/v1/pets", "k");
    const [memory, files] = [memoryOf(pid).now, openFilesOf(pid)];
    // They have said nothing, or are within their heads.
    for (const bytes of ["", LIST.slice(0, 30)]) {
      await withSockets(server, 2000, bytes, async () => {
        await until("2,000 connections accepted", () => openFilesOf(pid) >= files + 2000);
        for (let i = 0; i < 20; i++) assert.equal((await exchange(server, LIST))?.text, "[]");
        const growth = memoryOf(pid).now - memory;
        assert.ok(growth < 128, `${growth} MiB more`);
      });
      await until("connections forgotten", () => openFilesOf(pid) < files + 10);
      assert.equal((await exchange(server, LIST))?.text, "[]");
    }
  }));

test("500 stalled bodies, four times in a row, do not block others, get 408 and leave nothing behind", () =>
  withImpatientServer(async (server) => {
    const stalled = head("POST", "/v1/pets", "Content-Length: 29\r\n") + "{";
    const files = openFilesOf(server.pid);
    const memory: number[] = [];
    for (let round = 0; round < 4; round++) {
      await withSockets(server, 500, stalled, async (sockets) => {
        assert.equal((await exchange(server, LIST))?.text, "[]");
        for (const socket of sockets) assert.equal((await socket.readResponse())?.status, 408);
      });
      // The clients close first. The server's clock and the like use a descriptor or two.
      await until("connections forgotten", () => openFilesOf(server.pid) < files + 10);
      memory.push(memoryOf(server.pid).now);
    }
    const [, second = 0, , fourth = 0] = memory;
    // Later rounds reuse the memory of the first.
    assert.ok(fourth - second < 32, `${memory.join(", ")} MiB`);
    assert.equal((await exchange(server, LIST))?.text, "[]");
  }));
