/** Clients that ask for the large files of the page, and do not read them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { VIEWER_VERSION } from "../../../lib/server/viewer/operations.ts";
import { RawSocket } from "../../support/http/raw_socket.ts";
import { withFreshServer } from "../../support/server/server_process.ts";
import { NO_PROC, testUnless } from "../../support/system/commands.ts";
import { until } from "../../support/until.ts";

const BUNDLE = `/docs/${VIEWER_VERSION}/swagger-ui-bundle.js`;

testUnless(NO_PROC)(
  "300 connections that ask for a large file again and again and read nothing take little memory",
  () =>
    withFreshServer({ args: ["--key=k", "--store=memory:"] }, async (server) => {
      using sockets = new DisposableStack();
      for (let i = 0; i < 300; i++) {
        const socket = sockets.use(await RawSocket.open(server, 30_000));
        await socket.send(`GET ${BUNDLE} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(5));
      }
      await until("a response begun on each", () => server.written.stdout.split(` ${BUNDLE} `).length > 300);
      for (const path of ["/v1/pets", BUNDLE]) assert.equal((await server.ask(path, "k")).status, 200);
      const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8")) ?? [];
      // With a copy of the file for each of the connections, it would be 280 MB.
      assert.ok(Number(peak) < 200_000, `${peak} kB`);
    }),
);
