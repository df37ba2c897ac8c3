import assert from "node:assert/strict";
import type { Problem } from "../../lib/http/problem.ts";
import type { Reply } from "../../lib/http/reply.ts";
import { LargeResponses } from "../../lib/server/viewer/large_responses.ts";
import { VIEWER_VERSION } from "../../lib/server/viewer/files.ts";
import { Http2Client } from "../support/http/http2_client.ts";
import { memoryOf } from "../support/system/process.ts";
import { until } from "../support/until.ts";
import { RawSocket } from "../support/http/raw_socket.ts";
import { type ServerProcess, withFreshServer } from "../support/server/server_process.ts";
import { NO_PROC, testUnless } from "../support/system/commands.ts";
import { withDenoServe } from "../support/http/deno_serve.ts";

const test = Object.assign(testUnless(false), { onLinux: testUnless(NO_PROC) });

const BUNDLE = `/docs/${VIEWER_VERSION}/swagger-ui-bundle.js`;

/** A server, and its peak memory since its first response, in MiB. */
function withWatched(use: (server: ServerProcess, growth: () => number) => Promise<void>): Promise<void> {
  return withFreshServer({ args: ["--key=k", "--store=memory:"] }, async (server) => {
    assert.equal((await server.ask(BUNDLE, null)).status, 200);
    const before = memoryOf(server.pid).now;
    await use(server, () => memoryOf(server.pid).most - before);
  });
}

/** Clients that have left free their place. */
async function assertServedAgain(server: ServerProcess): Promise<void> {
  const guard = AbortSignal.timeout(10_000);
  while ((await server.ask(BUNDLE, null)).status !== 200) assert.ok(!guard.aborted, "The file is not served any more");
}

test.onLinux("600 streams of HTTP/2 that ask for a large file and read nothing take little memory", () =>
  withWatched(async (server, growth) => {
    const clients = Array.from({ length: 3 }, () => new Http2Client(server.port, 0));
    try {
      await Promise.all(clients.map((client) => client.agreed()));
      const asked = clients.flatMap((client) => Array.from({ length: 200 }, () => client.statusOf(BUNDLE)));
      const refused = (await Promise.all(asked)).filter((status) => status !== 200);
      assert.ok(refused.length > 0 && refused.every((status) => status === 503));
      assert.equal((await server.ask("/v1/pets", "k")).status, 200);
      assert.ok(growth() < 128, `${growth()} MiB more`);
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
    await assertServedAgain(server);
  }));

test("a HEAD, and a GET of what the client has, take no place and have the length", () =>
  withWatched(async (server) => {
    const gzip = { "accept-encoding": "gzip" };
    const get = await fetch(`http://127.0.0.1:${server.port}${BUNDLE}`, { headers: gzip });
    const etag = get.headers.get("etag") ?? "";
    await get.body?.cancel();
    for (let i = 0; i < 300; i++) {
      const head = await server.ask(BUNDLE, null, { method: "HEAD" });
      assert.equal(head.status, 200);
      assert.match(head.headers.get("content-length") ?? "", /^\d{6,}$/);
      const unchanged = await server.ask(BUNDLE, null, { headers: { "if-none-match": etag } });
      assert.ok(unchanged.status === 304 || unchanged.status === 200);
    }
    assert.equal((await server.ask(BUNDLE, null)).status, 200);
  }));

test.onLinux("300 connections that ask for a large file again and again and read nothing take little memory", () =>
  withWatched(async (server, growth) => {
    const sockets: RawSocket[] = [];
    try {
      for (let i = 0; i < 300; i++) sockets.push(await RawSocket.open(server, 30_000));
      const request = `GET ${BUNDLE} HTTP/1.1\r\nHost: x\r\n\r\n`;
      await Promise.all(sockets.map((socket) => socket.send(request.repeat(5))));
      await until("a response begun on each", () => server.written.stdout.split(` ${BUNDLE} `).length > 300);
      assert.equal((await server.ask("/v1/pets", "k")).status, 200);
      assert.ok(growth() < 128, `${growth()} MiB more`);
    } finally {
      for (const socket of sockets) socket.close();
    }
    await assertServedAgain(server);
  }));

/** A server of this file that limits the responses in progress. */
function withFile(file: Bytes, responses: LargeResponses, use: (port: number) => Promise<void>): Promise<void> {
  return withDenoServe(async () => {
    try {
      const { body, ...init } = await responses.send({ status: 200, headers: {}, body: null }, file);
      return new Response(body as BodyInit, init);
    } catch (thrown) {
      const { body, ...init } = thrown as Problem;
      return new Response(body, init);
    }
  }, use);
}

type Bytes = Uint8Array<ArrayBuffer>;

async function ask(port: number): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
  const first = new Uint8Array(12);
  await connection.read(first);
  assert.equal(new TextDecoder().decode(first), "HTTP/1.1 200");
  return connection;
}

/** More than socket buffers hold for a client that does not read. */
const FILE = new Uint8Array(32 * 1024 * 1024).map((_, i) => i % 251);

test("a large response comes whole", () =>
  withFile(FILE, new LargeResponses(), async (port) => {
    const address = `http://127.0.0.1:${port}/`;
    assert.deepEqual(await (await fetch(address)).bytes(), FILE);
  }));

test("large responses beyond their number get 503 until one of them has ended", () =>
  withFile(FILE, new LargeResponses(2, 10_000, 0), async (port) => {
    const address = `http://127.0.0.1:${port}/`;
    const [reading, leaving] = [await ask(port), await ask(port)];
    const refused = await fetch(address);
    assert.deepEqual([refused.status, JSON.parse(await refused.text()).code], [503, "overloaded"]);
    const rest = new Response(reading.readable).bytes();
    assert.ok((await rest).length > FILE.length);
    const third = await ask(port);
    leaving.close();
    await until("the place of the client that has left", async () => {
      const { ok, body } = await fetch(address);
      await body?.cancel();
      return ok;
    });
    third.close();
  }));

test("a client that does not read is dropped when another needs its place", () =>
  withFile(FILE, new LargeResponses(1, 0), async (port) => {
    using stalled = await ask(port);
    assert.deepEqual(await (await fetch(`http://127.0.0.1:${port}/`)).bytes(), FILE);
    let length = 0;
    try {
      length = (await new Response(stalled.readable).bytes()).length;
    } catch {
      // Its connection was reset.
    }
    assert.ok(length < FILE.length);
  }));

test("a large response that finds no place waits for one", async () => {
  const responses = new LargeResponses(1, 60_000, 60_000);
  const reply: Reply = { status: 200, headers: {}, body: FILE };
  const bytesOf = ({ body }: Reply) => new Response(body as ReadableStream).bytes();
  const first = await responses.send(reply, FILE);
  const second = responses.send(reply, FILE);
  assert.deepEqual(await bytesOf(first), FILE);
  assert.deepEqual(await bytesOf(await second), FILE);
});
