/** Clients that ask for large lists and for the large files of the page, and do not read them. */

import assert from "node:assert/strict";
import { type ClientHttp2Session, connect } from "node:http2";
import { VIEWER_VERSION } from "../../../../lib/server/viewer/files.ts";
import { RawSocket } from "../../../support/http/raw_socket.ts";
import { post } from "../../../support/http/requests.ts";
import { type ServerProcess, withFreshServer } from "../../../support/server/server_process.ts";
import { NO_PROC, testUnless } from "../../../support/system/commands.ts";
import { memoryOf } from "../../../support/system/process.ts";
import { until } from "../../../support/until.ts";

const test = testUnless(NO_PROC);
const BUNDLE = `/docs/${VIEWER_VERSION}/swagger-ui-bundle.js`;

/** Checks that a server keeps its memory, and serves others, while clients do what `use` does. `close` gets what ends the clients. */
async function assertSmall(use: (server: ServerProcess, close: (() => void)[]) => Promise<void>): Promise<void> {
  await withFreshServer({ args: ["--key=k", "--store=memory:"] }, async (server) => {
    const close: (() => void)[] = [];
    try {
      await use(server, close);
      for (const path of ["/v1/pets", BUNDLE]) assert.equal((await server.ask(path, "k")).status, 200);
      const { most } = memoryOf(server.pid);
      assert.ok(most < 350, `${most} MiB`);
    } finally {
      for (const end of close) end();
    }
  });
}

/** The status of the response to a request for a large list. */
function ask(session: ClientHttp2Session): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": "/v1/pets?limit=100", authorization: "Bearer k" });
    stream.on("response", (headers) => resolve(headers[":status"])).on("error", reject).resume();
  });
}

test("2,000 streams of HTTP/2 that ask for a large list and read nothing get it, and take little memory", () =>
  assertSmall(async (server, close) => {
    // 100 pets with the longest names are a page of 107 kB.
    using socket = await RawSocket.open(server);
    for (let i = 0; i < 100; i++) {
      await socket.send(post(JSON.stringify({ name: "😀".repeat(255), categoryId: 7 })));
      assert.equal((await socket.readResponse())?.status, 201);
    }
    // These clients never permit the server to send a byte of a body.
    const settings = { initialWindowSize: 0 };
    const sessions = Array.from({ length: 10 }, () => connect(server.origin, { settings }).on("error", () => {}));
    close.push(() => sessions.forEach((session) => session.destroy()));
    await Promise.all(sessions.map((session) => new Promise((resolve) => session.once("remoteSettings", resolve))));
    const asked = sessions.flatMap((session) => Array.from({ length: 200 }, () => ask(session)));
    assert.deepEqual(new Set(await Promise.all(asked)), new Set([200]));
  }));

test("300 connections that ask for a large file again and again and read nothing take little memory", () =>
  assertSmall(async (server, close) => {
    for (let i = 0; i < 300; i++) {
      const socket = await RawSocket.open(server, 30_000);
      close.push(() => socket.close());
      await socket.send(`GET ${BUNDLE} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(5));
    }
    await until("a response begun on each", () => server.written.stdout.split(` ${BUNDLE} `).length > 300);
  }));
