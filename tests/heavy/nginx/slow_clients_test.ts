/** Slow clients before docs/nginx.conf with shorter timeouts: nginx drops them, and the petstore never sees them. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { assertSeen, whyNoNginx, withProxy } from "./nginx.ts";
import { chunk, CHUNKED, get, lengthOf, PET, post } from "../../support/http/requests.ts";
import { exchange, RawSocket } from "../../support/http/raw_socket.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = testUnless(whyNoNginx());
const LIST = get("/v1/pets");

/** The real timeouts exceed the guard of a connection. */
const SHORT = { header_timeout: "150ms", body_timeout: "150ms", idle_timeout: "150ms" };

/** What a client sends before it waits for ever. */
const STALLS = ["", post("", lengthOf(PET)), post(chunk(PET.slice(0, 9)), CHUNKED)];

test("nginx closes connections that idle, stall, or send byte by byte, and the petstore never sees them", () =>
  withProxy(SHORT, async (nginx, server) => {
    for (const bytes of STALLS) {
      using socket = await RawSocket.open(nginx);
      await socket.sendRest(bytes);
      await socket.readEnd();
    }

    using dribbling = await RawSocket.open(nginx);
    const ended = dribbling.readEnd();
    // A byte every 20 ms, so that no limit between two bytes applies: if nginx does not end it, the guard does.
    for (const byte of LIST.replace("\r\n\r\n", `\r\nX: ${"a".repeat(500)}`)) {
      if (!await dribbling.sendRest(byte)) break;
      await sleep(20);
    }
    await ended;

    using used = await RawSocket.open(nginx);
    await used.send(LIST);
    assert.equal((await used.readResponse())?.status, 200);
    await used.readEnd();
    await assertSeen(server, ["GET /v1/pets 200"]);
  }));

test("nginx drops a client that sends requests and reads no response", () =>
  withProxy({ send_timeout: "150ms", rate: "$binary_remote_addr zone=requests:10m rate=10000r/s" }, async (nginx) => {
    using socket = await RawSocket.open(nginx);
    // The largest response without a pet: 900 of them exceed all socket buffers.
    await socket.send(get("/openapi.json").repeat(900));
    // Until the connection is reset, or the guard fails the test.
    while (await socket.sendRest("G")) await sleep(20);
    assert.equal((await exchange(nginx, LIST))?.status, 200);
  }));
