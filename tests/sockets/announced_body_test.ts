/** Bodies that are announced and do not come: they must cost the server no more than what has come of them. */

import assert from "node:assert/strict";
import { withImpatientServer } from "../support/server/impatient_server.ts";
import { memoryOf } from "../support/system/process.ts";
import { assertError, MIB } from "../support/http/raw_petstore.ts";
import { exchange, RawSocket } from "../support/http/raw_socket.ts";
import { NO_PROC, testUnless } from "../support/system/commands.ts";

const test = testUnless(NO_PROC);

const HEADERS = "Host: x\r\nAuthorization: Bearer k\r\n";
const LIST = `GET /v1/pets HTTP/1.1\r\n${HEADERS}\r\n`;

test("100 bodies of 1 MiB of which one byte comes do not take 100 MiB", () =>
  withImpatientServer(async (server) => {
    assert.equal((await exchange(server, LIST))?.text, "[]");
    const before = memoryOf(server.pid).now;
    const sockets: RawSocket[] = [];
    try {
      for (let i = 0; i < 100; i++) sockets.push(await RawSocket.open(server));
      const announced = `POST /v1/pets HTTP/1.1\r\n${HEADERS}Content-Length: ${MIB}\r\n\r\n{`;
      await Promise.all(sockets.map((socket) => socket.send(announced)));
      for (const socket of sockets) assertError(await socket.readResponse(), 408, "request_timeout");
      const growth = memoryOf(server.pid).now - before;
      assert.ok(growth < 64, `${growth} MiB more`);
    } finally {
      for (const socket of sockets) socket.close();
    }
  }));
