/** The access log of the standalone server: a line for every request, and nothing in it that a client chose to write. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLog } from "../support/access_log.ts";
import { exchange } from "../support/raw_socket.ts";
import { addPet, readKey, withServer } from "../support/server_process.ts";
import { withTempFolder } from "../support/temp.ts";

test("the log has a line for every request, with its status, and never a key", () =>
  withTempFolder((folder) =>
    withServer(folder, {}, async (server) => {
      const key = readKey(folder);
      const start = server.written.stdout;
      await addPet(server, key);
      await server.ask("/v1/pets?limit=5", key);
      await server.ask("/v1/pets/7", "pk_wrong");
      await server.ask("/livez", null);
      await exchange(server, "BREW /%0a%1b[31m HTTP/1.1\r\nHost: x\r\n\r\n");
      assert.equal(await server.stop(), 0);
      const log = server.written.stdout.slice(start.length);
      assertLog(log, [
        "POST /v1/pets 201",
        "GET /v1/pets?limit=5 200",
        "GET /v1/pets/7 401",
        "GET /livez 200",
        "BREW /%0a%1b[31m 401",
      ]);
      assert.ok(!(log + server.written.stderr).includes(key) && !log.includes("pk_wrong"));
    })
  ));

for (
  const [what, parts] of [
    ["--no-access-log", { args: ["--no-access-log"] }],
    ["PETSTORE_ACCESS_LOG=off", { env: { PETSTORE_ACCESS_LOG: "off" } }],
  ] as const
) {
  test(`${what} turns the log off`, () =>
    withTempFolder((folder) =>
      withServer(folder, { ...parts, args: [...("args" in parts ? parts.args : [])] }, async (server) => {
        await addPet(server, readKey(folder));
        assert.equal(await server.stop(), 0);
        assertLog(server.written.stdout, []);
      })
    ));
}

test("a client cannot write into the log what it likes", () =>
  withTempFolder((folder) =>
    withServer(folder, { args: ["--key=k"] }, async (server) => {
      const start = server.written.stdout.length;
      // A Host header with a path in it, control characters of a terminal, line ends of a log's reader.
      await exchange(server, "GET /v1/pets HTTP/1.1\r\nHost: a/x 200 0.1ms\r\n\r\n");
      await exchange(server, "GET /v1/\u009b31m\u0085\u2028\u202e HTTP/1.1\r\nHost: a\r\n\r\n");
      assert.equal(await server.stop(), 0);
      const lines = server.written.stdout.slice(start).trimEnd().split("\n");
      assert.equal(lines.length, 2);
      for (const line of lines) assert.match(line, /^\S+Z 127\.0\.0\.1 GET [^\p{C}\p{Z}]+ 4\d\d \d+\.\dms$/u);
    })
  ));
