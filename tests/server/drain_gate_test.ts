import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../lib/http/reply.ts";
import { createPipeline, type Pipeline } from "../../lib/http/pipeline.ts";
import { createFinisher } from "../../lib/http/finisher.ts";
import { ANONYMOUS } from "../../lib/http/operation.ts";
import { createRecovery } from "../../lib/http/recovery.ts";
import { DrainGate, OK } from "../../lib/server/drain_gate.ts";
import type { MaybePromise } from "../../mod.ts";
import { listen as listenOnDeno } from "../../lib/server/deno/listener.ts";
import { Http2Client } from "../support/http/http2_client.ts";
import { RawSocket } from "../support/http/raw_socket.ts";

const GET = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";
const POST = "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(100_000);

test("requests that come just before the socket is closed are answered, on connections old and new", async () => {
  const gate = new DrainGate();
  const arrived = countdown(8);
  let isHeld = false;
  const respond: DrainGate["respond"] = (...given) => {
    if (isHeld) arrived.one();
    return gate.respond(...given);
  };
  const listener = await listen({ respond });
  gate.open(createService(() => OK));
  const open = () => RawSocket.open({ port: listener.port, validate: () => {} });
  const used = await Promise.all([open(), open(), open(), open()]);
  for (const socket of used) {
    await socket.send(GET);
    assert.equal((await socket.readResponse())?.headers.get("connection"), null);
  }
  using streams = new Http2Client(listener.port);
  assert.equal(await streams.statusOf("/"), 200);

  await gate.close();
  gate.hold();
  isHeld = true;
  const [idle, ...asking] = used;
  asking.push(await open(), await open());
  // The last one is still sending more than the socket's buffers take.
  const sent = Promise.all(asking.map((socket, i) => socket.send(i < 4 ? GET.replace("/livez", "/readyz") : POST)));
  const waiting = ["/", "/", "/"].map((path) => streams.statusOf(path));
  await arrived.all;
  const stopped = listener.stop();
  gate.release();

  for (const socket of asking) {
    const response = await socket.readResponse();
    assert.equal(response?.status, 503);
    // Deno repeats the header if it has not read the whole body.
    assert.match(response.headers.get("connection") ?? "", /^close(, close)?$/);
  }
  assert.deepEqual(await Promise.all(waiting), [503, 503, 503]);
  await idle?.readEnd();
  await sent;
  for (const socket of used.concat(asking)) socket.close();
  await stopped;
  await listener.finish(10_000);
});

test("a client that never finishes delays the end until its time limit, and the server says so", async () => {
  const gate = new DrainGate();
  const reports: string[] = [];
  const listener = await listen(gate, (line) => reports.push(line));
  using socket = await RawSocket.open({ port: listener.port, validate: () => {} });
  // HTTP/2 with prior knowledge: this client never acknowledges the GOAWAY.
  await socket.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  using other = await RawSocket.open({ port: listener.port, validate: () => {} });
  await other.send(GET);
  // This response shows that the server has seen the other connection.
  assert.equal((await other.readResponse())?.status, 200);
  await listener.stop();
  await listener.finish(10);
  assert.deepEqual(reports, ["stopped before all clients had finished their requests"]);
});

function listen(gate: Pick<DrainGate, "respond">, report: (line: string) => void = assert.fail) {
  return listenOnDeno({ hostname: "127.0.0.1", port: 0 }, gate, report);
}

function createService(handler: () => MaybePromise<Reply>): Pipeline {
  return createPipeline({
    cors: undefined,
    authenticate: () => ANONYMOUS,
    authorize: () => {},
    cache: undefined,
    operations: ["/", "/livez", "/readyz"].map((path) => ({ method: "GET", path, access: "public", handler })),
    recover: createRecovery((info) => assert.fail(String(info.error))),
    finisher: createFinisher({ requestIds: "none" }),
  });
}

function countdown(count: number): { one(): void; all: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { one: () => --count === 0 && resolve(), all: promise };
}
