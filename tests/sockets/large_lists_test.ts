import assert from "node:assert/strict";
import { memoryOf } from "../support/system/process.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { type ServerProcess, withFreshServer } from "../support/server/server_process.ts";
import { NO_PROC, testUnless } from "../support/system/commands.ts";
import { Http2Client } from "../support/http/http2_client.ts";

const test = testUnless(NO_PROC);

const LIST = "/v1/pets?limit=100";

/** 100 pets with the longest names: a page of 107 kB. */
async function addLongNames(server: ServerProcess): Promise<void> {
  const pet = JSON.stringify({ name: "😀".repeat(255), categoryId: 7 });
  const length = new TextEncoder().encode(pet).length;
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: ${length}\r\n\r\n`;
  for (let i = 0; i < 100; i++) assert.equal((await exchange(server, head + pet))?.status, 201);
}

/** In MiB: what the server may use of memory while so many clients read nothing. */
const LIMIT = 350;

test("2,000 streams of HTTP/2 that ask for a large list and read nothing get it, and leave memory", () =>
  withFreshServer({ args: ["--key=k", "--store=memory:", "--log=off"] }, async (server) => {
    await addLongNames(server);
    const clients = Array.from({ length: 10 }, () => new Http2Client(server.port, 0));
    try {
      await Promise.all(clients.map((client) => client.agreed()));
      const headers = { authorization: "Bearer k" };
      const asked = clients.flatMap((client) => Array.from({ length: 200 }, () => client.statusOf(LIST, headers)));
      // Nothing that others do takes the list away from a caller.
      assert.ok((await Promise.all(asked)).every((status) => status === 200));
      assert.equal((await server.ask(LIST, "k")).status, 200);
      const { most } = memoryOf(server.pid);
      assert.ok(most < LIMIT, `${most} MiB`);
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
  }));
