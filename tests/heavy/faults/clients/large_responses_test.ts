/** Clients that ask for the large files of the page, and do not read them. */

import assert from "node:assert/strict";
import { VIEWER_VERSION } from "../../../../lib/server/viewer/operations.ts";
import { RawSocket } from "../../../support/http/raw_socket.ts";
import { withFreshServer } from "../../../support/server/server_process.ts";
import { NO_PROC, testUnless } from "../../../support/system/commands.ts";
import { memoryOf } from "../../../support/system/process.ts";
import { until } from "../../../support/until.ts";

const test = testUnless(NO_PROC);
const BUNDLE = `/docs/${VIEWER_VERSION}/swagger-ui-bundle.js`;

test("300 connections that ask for a large file again and again and read nothing take little memory", () =>
  withFreshServer({ args: ["--key=k", "--store=memory:"] }, async (server) => {
    const sockets: RawSocket[] = [];
    try {
      while (sockets.length < 300) {
        const socket = await RawSocket.open(server, 30_000);
        sockets.push(socket);
        await socket.send(`GET ${BUNDLE} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(5));
      }
      await until("a response begun on each", () => server.written.stdout.split(` ${BUNDLE} `).length > sockets.length);
      for (const path of ["/v1/pets", BUNDLE]) assert.equal((await server.ask(path, "k")).status, 200);
      const { most } = memoryOf(server.pid);
      assert.ok(most < 350, `${most} MiB`);
    } finally {
      for (const socket of sockets) socket.close();
    }
  }));
