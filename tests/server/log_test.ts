import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { test } from "node:test";
import { assertLog } from "../support/server/access_log.ts";
import { get, HOST } from "../support/http/requests.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { runHere, withFreshServerHere } from "../support/server/in_process.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { countFailures } from "../support/server/failures.ts";
import { addPet, PET, readKey } from "../support/server/server_process.ts";
import { until } from "../support/until.ts";
import { createFailureLog } from "../../lib/server/telemetry/failure_log.ts";
import type { ErrorInfo } from "../../mod.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";

test("the log has a line for every request but a probe that finds the server well, and never a key", () =>
  withFreshServerHere({}, async (server) => {
    const key = readKey(".");
    const start = server.written.stdout;
    await addPet(server, key);
    await server.ask("/v1/pets?limit=5", key);
    await server.ask("/v1/pets/7", "pk_wrong");
    for (const probe of ["/livez", "/readyz", "/readyz?writes"]) await server.ask(probe, null);
    await exchange(server, "REPORT /%0a%1b[31m HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.equal(await server.stop(), 0);
    const log = server.written.stdout.slice(start.length);
    assertLog(log, [
      "POST /v1/pets 201",
      "GET /v1/pets?limit=5 200",
      "GET /v1/pets/7 401 invalid_api_key",
      "… /… 401 missing_api_key",
    ]);
    assert.ok(!(log + server.written.stderr).includes(key) && !log.includes("pk_wrong"));
  }));

test("a request has one short line of visible characters, whatever the client sends, and shows no hidden value", () =>
  withFreshServerHere({ args: ["--key=k", "--store=memory:"] }, async (server) => {
    const start = server.written.stdout.length;
    const secret = "pk_0123456789abcdef";
    const requests = [
      get("/v1/pets", "Host: a/x 200 0.1ms\r\n"),
      get("/v1/" + "a/".repeat(7_000), HOST),
      get("/v1/pets?" + "limit=1&".repeat(1_400), HOST),
      // A key that begins inside the part that is read and ends after it.
      get("/" + "a/".repeat(95) + secret.repeat(3), HOST),
      get("/v1/pets?" + "limit=1&".repeat(24) + "limit=" + secret.repeat(3), HOST),
      get(`/v1/pets?limit=5=${secret}${secret}`, HOST),
      // Characters that control a terminal, or end a line. Node refuses them itself.
      ...(ON_NODE ? [] : [get("/v1/\u009b31m\u0085\u2028\u202e", "Host: a\r\n")]),
    ];
    for (const request of requests) await exchange(server, request);
    assert.equal(await server.stop(), 0);
    const lines = server.written.stdout.slice(start).trimEnd().split("\n");
    assert.equal(lines.length, requests.length);
    for (const line of lines) {
      assert.match(line, /^\S+Z 127\.0\.0\.1 GET [^\p{C}\p{Z}]+ 4\d\d [a-z_]+ \d+\.\dms$/u);
      assert.ok(line.length < 500, `${line.length} characters`);
    }
    assert.match(lines[1] ?? "", / GET \/… 401 /);
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
      "listens",
      "/v1/pets?limit=5",
      "/v1/pets/7",
      "/v1/pets",
      "stopped",
    ]);
    const [, found, refused, unavailable] = output, [failure] = errors;
    const { requestId, route, status, bytes } = found!;
    assert.deepEqual([requestId, route, status, bytes], ["from-the-proxy", "/v1/pets", 200, 2]);
    assert.equal(refused!["status"], 401);
    assert.deepEqual([failure?.["target"], failure?.["message"]], ["/v1/pets", "The request failed"]);
    assert.equal(failure?.["requestId"], failed.headers.get("x-request-id"));
    assert.equal(failure?.["requestId"], unavailable?.["requestId"]);
  }));

test("--log json makes an object of what fails before there is a log, and leaves the lines of other commands as they are", async () => {
  const starts: [args: string[], env?: Record<string, string>][] = [
    [["--log=text", "--log=json", "--port=x"]],
    [["serve", "--nope", "--log", "json"]],
    [["--key=", "--store=memory:"], { PETSTORE_LOG: "json", PETSTORE_STOER: "x" }],
  ];
  for (const [args, env] of starts) {
    const { status, stderr } = await runHere(args, env);
    assert.equal(status, 2);
    for (const { time, message } of objectsOf(stderr)) assert.ok(time && !String(message).startsWith("petstore:"));
  }
  for (const args of [["--log=json", "--log=off", "--port=x"], ["check", "--store=memory:"]]) {
    assert.match((await runHere(args, { PETSTORE_LOG: "json" })).stderr, /^petstore: /);
  }
});

function objectsOf(lines: string): Record<string, unknown>[] {
  return lines.trimEnd().split("\n").map((line) => JSON.parse(line));
}

function fail(error: unknown, requestId: string, method = "GET"): ErrorInfo {
  return { error, requestId, request: new Request("http://localhost/v1/pets?limit=5", { method }) };
}

const outage = (after: number) => new StoreUnavailableError(`PostgreSQL has not answered within ${after} ms`);

test("what fails ten thousand times is told at once, and then once a second with a count", async () => {
  const lines: string[] = [];
  const log = createFailureLog({ add: (line) => lines.push(line) }, false);
  for (let i = 0; i < 10_000; i++) log.add(fail(outage(4_000 + i % 9), `id-${i}`));
  log.add(fail(outage(5_000), "other", "POST"));
  log.add(fail(new StoreUnavailableError("Too many queries wait for PostgreSQL"), "many"));
  const told = () => lines.map((line) => line.slice(line.indexOf(" ") + 1));
  const atOnce = [
    "id-0 GET /v1/pets?limit=5 failed: PostgreSQL has not answered within 4000 ms",
    "other POST /v1/pets?limit=5 failed: PostgreSQL has not answered within 5000 ms",
    "many GET /v1/pets?limit=5 failed: Too many queries wait for PostgreSQL",
  ];
  assert.deepEqual(told(), atOnce);
  const count = "id-9999 GET /v1/pets?limit=5 failed: PostgreSQL has not answered within 4000 ms (9999 times)";
  await until("the count", () => lines.length === 4);
  assert.deepEqual(told(), [...atOnce, count]);
  log.add(fail(outage(1), "id-10000"));
  log.close();
  assert.equal(countFailures(lines.join("\n"), "PostgreSQL has not answered"), 10_002);
  assert.equal(lines.length, 5);
});

test("a thousand different failures in a second have a hundred lines, and the others one more with their count", () => {
  const lines: string[] = [];
  const log = createFailureLog({ add: (line) => lines.push(line) }, true);
  const name = (i: number) => String.fromCharCode(97 + i % 26, 97 + i / 26 % 26, 97 + i / 676);
  for (let i = 0; i < 1_000; i++) log.add(fail(new Error(name(i)), `id-${i}`));
  log.close();
  const counts = lines.map((line) => JSON.parse(line).times);
  assert.deepEqual(counts, [...Array(101).fill(undefined), 899]);
});
