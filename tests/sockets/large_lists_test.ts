/** Lists of long names, before clients with a key that ask for many and read none. */

import assert from "node:assert/strict";
import { type ClientHttp2Session, connect } from "node:http2";
import { memoryOf, processIn } from "../support/system/process.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { type ServerProcess, withFreshServer } from "../support/server/server_process.ts";
import { NO_PROC, testUnless } from "../support/system/commands.ts";

/** 100 pets whose names are as long as names can be: a page of 107 kB. */
async function addLongNames(server: ServerProcess): Promise<void> {
  const pet = JSON.stringify({ name: "😀".repeat(255), categoryId: 7 });
  const length = new TextEncoder().encode(pet).length;
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: ${length}\r\n\r\n`;
  for (let i = 0; i < 100; i++) assert.equal((await exchange(server, head + pet))?.status, 201);
}

/** A connection for HTTP/2 whose client lets the server send no byte of any body. */
async function openShut(port: number): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 } });
  session.on("error", () => {});
  await new Promise<void>((resolve) => session.once("remoteSettings", () => resolve()));
  return session;
}

function statusOf(session: ClientHttp2Session): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": "/v1/pets?limit=100", authorization: "Bearer k" });
    stream.on("response", (headers) => resolve(headers[":status"])).on("error", reject);
  });
}

testUnless(
  NO_PROC,
  "2,000 streams of HTTP/2 that ask for a large list and read nothing take little memory",
  () =>
    withFreshServer({ args: ["--key=k", "--store=memory:", "--no-access-log"] }, async (server, folder) => {
      await addLongNames(server);
      assert.equal((await server.ask("/v1/pets?limit=100", "k")).status, 200);
      const pid = processIn(folder);
      const before = memoryOf(pid).now;
      const sessions: ClientHttp2Session[] = [];
      try {
        for (let i = 0; i < 10; i++) sessions.push(await openShut(server.port));
        const asked = sessions.flatMap((session) => Array.from({ length: 200 }, () => statusOf(session)));
        const statuses = await Promise.all(asked);
        assert.ok(statuses.includes(200) && statuses.includes(503));
        assert.ok(statuses.every((status) => status === 200 || status === 503));
        // A short answer has nothing to wait for.
        assert.equal((await server.ask("/v1/pets?limit=1", "k")).status, 200);
        const growth = memoryOf(pid).most - before;
        assert.ok(growth < 96, `${growth} MiB more`);
      } finally {
        for (const session of sessions) session.destroy();
      }
      // Those who have gone make room.
      const guard = AbortSignal.timeout(20_000);
      while ((await server.ask("/v1/pets?limit=100", "k")).status !== 200) {
        assert.ok(!guard.aborted, "no room is made");
      }
    }),
);
