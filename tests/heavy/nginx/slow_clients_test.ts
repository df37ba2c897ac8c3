/** Slow clients before docs/nginx.conf with shorter timeouts: nginx drops them, and the petstore never sees them. */

import assert from "node:assert/strict";
import { assertLog } from "./access_log.ts";
import { type Nginx, whyNoNginx, withProxy } from "../../support/nginx/nginx.ts";
import { chunk, CHUNKED, get, lengthOf, PET, post } from "../../support/http/requests.ts";
import { exchange, RawSocket } from "../../support/http/raw_socket.ts";
import type { ServerProcess } from "../../support/server/server_process.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = testUnless(whyNoNginx());
const LIST = get("/v1/pets");

/** The real timeouts exceed the guard of a connection. */
const SHORT = { header_timeout: "150ms", body_timeout: "150ms", idle_timeout: "150ms" };

/** The petstore has seen none of it, and other clients are served. */
async function assertUnseen(nginx: Nginx, server: ServerProcess, seen: string[] = []): Promise<void> {
  assert.equal((await exchange(nginx, LIST))?.text, "[]");
  assert.equal(await server.stop(), 0);
  assertLog(server.written.stdout, [...seen, "GET /v1/pets 200"]);
}

/** Sends a byte every 20 ms, so that no limit between two bytes applies. */
async function dribble(socket: RawSocket, bytes: string): Promise<void> {
  for (const byte of bytes) {
    if (!await socket.sendRest(byte)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("a head that comes byte by byte is cut off by nginx, though the client never pauses for long", () =>
  withProxy(SHORT, async (nginx, server) => {
    using socket = await RawSocket.open(nginx);
    // Ten seconds of bytes: if nginx does not end it, the guard does.
    const dribbling = dribble(socket, LIST.replace("\r\n\r\n", `\r\nX: ${"a".repeat(500)}`));
    await socket.readEnd();
    await dribbling;
    await assertUnseen(nginx, server);
  }));

test("a connection that stays idle is closed by nginx, whether or not it has had a response", () =>
  withProxy(SHORT, async (nginx, server) => {
    using silent = await RawSocket.open(nginx);
    using used = await RawSocket.open(nginx);
    await used.send(LIST);
    assert.equal((await used.readResponse())?.status, 200);
    for (const socket of [silent, used]) await socket.readEnd();
    await assertUnseen(nginx, server, ["GET /v1/pets 200"]);
  }));

test("a body that stalls is cut off by nginx and never comes to the petstore", () =>
  withProxy(SHORT, async (nginx, server) => {
    const half = PET.slice(0, 9), length = post("", lengthOf(PET));
    for (const bytes of [length, length + half, post(chunk(half), CHUNKED)]) {
      using socket = await RawSocket.open(nginx);
      await socket.send(bytes);
      await socket.readEnd();
    }
    await assertUnseen(nginx, server);
    assert.equal(nginx.accessLog().match(/ POST \/v1\/pets 408 \S+ - -$/gm)?.length, 3);
  }));

test("nginx drops a client that sends requests and reads no response", () =>
  withProxy({ send_timeout: "150ms", rate: "$binary_remote_addr zone=requests:10m rate=10000r/s" }, async (nginx) => {
    using socket = await RawSocket.open(nginx);
    // The largest response without a pet: 900 of them exceed all socket buffers.
    await socket.send(get("/openapi.json").repeat(900));
    // Until the connection is reset, or the guard fails the test.
    while (await socket.sendRest("G")) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal((await exchange(nginx, LIST))?.status, 200);
  }));
