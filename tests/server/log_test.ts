import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { test } from "node:test";
import { assertLog } from "../support/server/access_log.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { withFreshServerHere } from "../support/server/in_process.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { addPet, PET, readKey } from "../support/server/server_process.ts";

function get(target: string, host = "x"): string {
  return `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
}

test("the log has a line for every request, with its status, and never a key", () =>
  withFreshServerHere({}, async (server) => {
    const key = readKey(".");
    const start = server.written.stdout;
    await addPet(server, key);
    await server.ask("/v1/pets?limit=5", key);
    await server.ask("/v1/pets/7", "pk_wrong");
    await server.ask("/livez", null);
    await exchange(server, "REPORT /%0a%1b[31m HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.equal(await server.stop(), 0);
    const log = server.written.stdout.slice(start.length);
    assertLog(log, [
      ...["POST /v1/pets 201", "GET /v1/pets?limit=5 200", "GET /v1/pets/7 401", "GET /livez 200"],
      "REPORT /%0a%1b[31m 401",
    ]);
    assert.ok(!(log + server.written.stderr).includes(key) && !log.includes("pk_wrong"));
  }));

test("a request has one short line of visible characters, whatever the client sends, and shows no hidden value", () =>
  withFreshServerHere({ args: ["--key=k", "--store=memory:"] }, async (server) => {
    const start = server.written.stdout.length;
    const secret = "pk_0123456789abcdef";
    const requests = [
      get("/v1/pets", "a/x 200 0.1ms"),
      get("/v1/" + "a/".repeat(7_000)),
      get("/v1/pets?" + "limit=1&".repeat(1_400)),
      // A key that begins inside the part that is read and ends after it.
      get("/" + "a/".repeat(95) + secret.repeat(3)),
      get("/v1/pets?" + "limit=1&".repeat(24) + "limit=" + secret.repeat(3)),
      get(`/v1/pets?limit=5=${secret}${secret}`),
      // Characters that control a terminal, or end a line. Node refuses them itself.
      ...(ON_NODE ? [] : [get("/v1/\u009b31m\u0085\u2028\u202e", "a")]),
    ];
    for (const request of requests) await exchange(server, request);
    assert.equal(await server.stop(), 0);
    const lines = server.written.stdout.slice(start).trimEnd().split("\n");
    assert.equal(lines.length, requests.length);
    for (const line of lines) {
      assert.match(line, /^\S+Z 127\.0\.0\.1 GET [^\p{C}\p{Z}]+ 4\d\d \d+\.\dms$/u);
      assert.ok(line.length < 500, `${line.length} characters`);
    }
    assert.match(lines[1] ?? "", / GET \/v1\/a\/(a\/)+… 401 /);
    assert.ok(!lines.join().includes("pk_"), lines.join("\n"));
  }));

test("--log json writes nothing but JSON objects, the messages of failures included", () =>
  withFreshServerHere({ args: ["--key=k", "--log=json"] }, async (server) => {
    await server.ask("/v1/pets?limit=5", "k", { headers: { "x-request-id": "from-the-proxy" } });
    await server.ask("/v1/pets/7", "pk_wrong");
    renameSync("data/petstore.db", "data/moved.db");
    const headers = { "content-type": "application/json" };
    const failed = await server.ask("/v1/pets", "k", { method: "POST", headers, body: PET });
    assert.equal(failed.status, 503);
    assert.equal(await server.stop(), 0);
    const output = objectsOf(server.written.stdout), errors = objectsOf(server.written.stderr);
    assert.deepEqual(output.map(({ message, target, requestId }) => message ?? target ?? requestId), [
      ...["listens", "/v1/pets?limit=5", "/v1/pets/7", "/v1/pets"],
    ]);
    const [, found, refused, unavailable] = output, [failure] = errors;
    const { requestId, route, status, bytes } = found!;
    assert.deepEqual([requestId, route, status, bytes], ["from-the-proxy", "/v1/pets", 200, 2]);
    assert.equal(refused!["status"], 401);
    assert.deepEqual([failure?.["target"], failure?.["message"]], ["/v1/pets", "The request failed"]);
    assert.equal(failure?.["requestId"], failed.headers.get("x-request-id"));
    assert.equal(failure?.["requestId"], unavailable?.["requestId"]);
  }));

function objectsOf(lines: string): Record<string, unknown>[] {
  return lines.trimEnd().split("\n").map((line) => JSON.parse(line));
}
