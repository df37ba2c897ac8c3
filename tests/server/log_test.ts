import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { assertLog } from "../support/server/access_log.ts";
import { exchange, RawSocket } from "../support/http/raw_socket.ts";
import { addPet, PET, readKey, withFreshServer } from "../support/server/server_process.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { testUnless } from "../support/system/commands.ts";

const test = Object.assign(testUnless(false), {
  controls: testUnless(ON_NODE && "Node refuses such a target before the server sees it"),
});

/** Node does not let a method through that it does not know. */
const UNUSUAL_METHOD = ON_NODE ? "REPORT" : "BREW";
/** In bytes, a little less than what the runtime takes. */
const LONG = ON_NODE ? 14_000 : 60_000;

test("the log has a line for every request, with its status, and never a key", () =>
  withFreshServer({}, async (server, folder) => {
    const key = readKey(folder);
    const start = server.written.stdout;
    await addPet(server, key);
    await server.ask("/v1/pets?limit=5", key);
    await server.ask("/v1/pets/7", "pk_wrong");
    await server.ask("/livez", null);
    await exchange(server, `${UNUSUAL_METHOD} /%0a%1b[31m HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.equal(await server.stop(), 0);
    const log = server.written.stdout.slice(start.length);
    assertLog(log, [
      ...["POST /v1/pets 201", "GET /v1/pets?limit=5 200", "GET /v1/pets/7 401", "GET /livez 200"],
      ...[`${UNUSUAL_METHOD} /%0a%1b[31m 401`],
    ]);
    assert.ok(!(log + server.written.stderr).includes(key) && !log.includes("pk_wrong"));
  }));

test("--log off turns the log off", () =>
  withFreshServer({ args: ["--log=off"] }, async (server, folder) => {
    await addPet(server, readKey(folder));
    assert.equal(await server.stop(), 0);
    assertLog(server.written.stdout, []);
  }));

/** Sends one request, and checks that it has one line of visible characters. */
async function assertOneLine(bytes: string): Promise<void> {
  await withFreshServer({ args: ["--key=k"] }, async (server) => {
    const start = server.written.stdout.length;
    await exchange(server, bytes);
    assert.equal(await server.stop(), 0);
    const line = server.written.stdout.slice(start).trimEnd();
    assert.match(line, /^\S+Z 127\.0\.0\.1 GET [^\p{C}\p{Z}]+ 4\d\d \d+\.\dms$/u);
  });
}

test("a client cannot write its own text into the log by the Host header", () =>
  assertOneLine("GET /v1/pets HTTP/1.1\r\nHost: a/x 200 0.1ms\r\n\r\n"));

test.controls("a client cannot write characters that control a terminal, or end a line, into the log", () =>
  assertOneLine("GET /v1/\u009b31m\u0085\u2028\u202e HTTP/1.1\r\nHost: a\r\n\r\n"));

test("a line of the log is short, however long the request, and shows no part of a hidden value", () =>
  withFreshServer({ args: ["--key=k"] }, async (server) => {
    const start = server.written.stdout.length;
    const secret = "pk_0123456789abcdef";
    const targets = [
      "/v1/" + "a/".repeat(LONG / 2),
      "/v1/pets?" + "limit=1&".repeat(LONG / 10),
      // A key that begins inside the part that is read and ends after it.
      "/" + "a/".repeat(95) + secret.repeat(3),
      "/v1/pets?" + "limit=1&".repeat(24) + "limit=" + secret.repeat(3),
      `/v1/pets?limit=5=${secret}${secret}`,
    ];
    for (const target of targets) await exchange(server, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.equal(await server.stop(), 0);
    const lines = server.written.stdout.slice(start).trimEnd().split("\n");
    assert.equal(lines.length, targets.length);
    for (const line of lines) assert.ok(line.length < 500, `${line.length} characters`);
    assert.match(lines[0] ?? "", / GET \/v1\/a\/(a\/)+… 401 /);
    assert.ok(!lines.join().includes("pk_"), lines.join("\n"));
  }));

const ORIGIN = "https://app.example";

test("refusals that come before the path are in the log, and web pages may read them", () =>
  withFreshServer({ args: ["--key=k", `--cors-origin=${ORIGIN}`] }, async (server) => {
    const start = server.written.stdout.length;
    const ask = async (host: string, origin: string) => {
      const response = await exchange(server, `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\n\r\n`);
      const { status, headers } = response ?? { status: 0, headers: new Headers() };
      return [status, headers.get("access-control-allow-origin"), headers.get("vary")];
    };
    assert.deepEqual(await ask("a/b", ORIGIN), [400, ORIGIN, "Origin"]);
    // An open request keeps the server from ending.
    using socket = await RawSocket.open(server);
    await socket.send(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: ${PET.length}\r\n` +
        "Expect: 100-continue\r\n\r\n",
    );
    assert.equal((await socket.readResponse())?.status, 100);
    const stopped = server.stop();
    while ((await server.ask("/readyz", null)).status !== 503);
    assert.deepEqual(await ask("x", ORIGIN), [503, ORIGIN, "Origin"]);
    assert.deepEqual(await ask("x", "https://evil.example"), [503, null, "Origin"]);
    await socket.sendRest(PET);
    assert.equal((await socket.readResponse())?.status, 201);
    assert.equal(await stopped, 0);
    const log = server.written.stdout.slice(start);
    assert.equal(log.match(/ GET \/v1\/pets 503 /g)?.length, 2, log);
    assert.match(log, / GET \/readyz 503 \d/);
    assert.match(log, / GET \S+ 400 \d/);
  }));

test("--log json writes nothing but JSON objects, the messages of failures included", () =>
  withFreshServer({ args: ["--key=k", "--log=json"] }, async (server, folder) => {
    await server.ask("/v1/pets?limit=5", "k", { headers: { "x-request-id": "from-the-proxy" } });
    await server.ask("/v1/pets/7", "pk_wrong");
    renameSync(join(folder, "data/petstore.db"), join(folder, "data/moved.db"));
    const failed = await server.ask("/v1/pets", "k", { method: "POST", headers: JSON_TYPE, body: PET });
    assert.equal(failed.status, 503);
    assert.equal(await server.stop(), 0);
    const output = objectsOf(server.written.stdout), errors = objectsOf(server.written.stderr);
    assert.deepEqual(output.map(({ message, target, requestId }) => message ?? target ?? requestId), [
      ...["listens", "/v1/pets?limit=5", "/v1/pets/7", "/v1/pets"],
    ]);
    assert.deepEqual(output[1], {
      ...output[1],
      requestId: "from-the-proxy",
      route: "/v1/pets",
      status: 200,
      bytes: 2,
    });
    assert.deepEqual(output[2], { ...output[2], status: 401 });
    const [failure] = errors;
    assert.deepEqual([failure?.["target"], failure?.["message"]], ["/v1/pets", "The request failed"]);
    assert.equal(failure?.["requestId"], failed.headers.get("x-request-id"));
    assert.equal(failure?.["requestId"], output[3]?.["requestId"]);
  }));

const JSON_TYPE = { "content-type": "application/json" };

function objectsOf(lines: string): Record<string, unknown>[] {
  return lines.trimEnd().split("\n").map((line) => JSON.parse(line));
}
