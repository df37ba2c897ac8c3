/** The traces of the server, as a receiver gets them. With SERVER_RUNTIME=node, those of the server on Node with OpenTelemetry's SDK. */

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { exchange } from "../support/http/raw_socket.ts";
import { assertUnavailable, FILE, Ledger, ON_FILE } from "../support/server/ledger.ts";
import { environment, ON_NODE, ROOT } from "../support/server/serve_task.ts";
import { PET, runServer, serverAt, type ServerProcess, withFreshServer } from "../support/server/server_process.ts";
import { started } from "../support/server/unit.ts";
import { Child } from "../support/system/child.ts";
import { testUnless } from "../support/system/commands.ts";
import { withTempFolder } from "../support/temp.ts";
import { Receiver } from "./receiver.ts";

const test = Object.assign(testUnless(false), {
  workers: testUnless(ON_NODE && "workers need Deno"),
  deno: testUnless(ON_NODE && "Node has no tasks"),
});

const KEY = "k";
const TRACE = "0af7651916cd43dd8448eb211c80319c", PARENT = "b7ad6b7169203331";
/** A key in the wrong place. */
const SECRET = "pk_0123456789abcdef0123456789";

const EXPORT: Record<string, string> = ON_NODE
  ? { NODE_OPTIONS: `--import=${import.meta.resolve("./sdk.mjs")}` }
  : { OTEL_DENO: "true", OTEL_DENO_TRACING: "false", OTEL_DENO_METRICS: "false", OTEL_DENO_CONSOLE: "capture" };

/** Runs a server that exports to a receiver, to its end, at which all spans have been sent. */
async function traced(
  args: readonly string[],
  use: (server: ServerProcess, receiver: Receiver, folder: string) => Promise<void>,
  env: Record<string, string> = {},
): Promise<Receiver> {
  await using receiver = new Receiver();
  const all = { args: [`--key=${KEY}`, ...args], env: { ...receiver.environment, ...EXPORT, ...env } };
  await withFreshServer(all, async (server, folder) => {
    await use(server, receiver, folder);
    assert.equal(await server.stop(), 0);
  });
  return receiver;
}

test("a span is named by its route, continues the trace of the client, and has the span of the store below it", async () => {
  let log = "";
  const receiver = await traced(["--traces=1", "--log=json"], async (server, receiver) => {
    const { ask } = server;
    const headers = { "content-type": "application/json", traceparent: `00-${TRACE}-${PARENT}-01` };
    await ask("/v1/pets", KEY, { method: "POST", headers, body: PET });
    // Spans are sent while the server runs.
    await receiver.received(({ name }) => name === "POST /v1/pets");
    await ask("/v1/pets?limit=5", KEY);
    await ask("/readyz", null);
    // A response is kept at its second request, so the third is from the cache.
    for (let i = 0; i < 3; i++) await ask("/v1/pets/1", KEY);
    await ask("/v1/pets/1", "wrong");
    await ask("/v1/nowhere", KEY);
    [log] = await server.printed(/\{.*"POST".*/);
  }, { OTEL_BSP_SCHEDULE_DELAY: "50" });
  assert.deepEqual(receiver.names(), [
    ...["GET", "GET", "GET /readyz", "GET /readyz → check pets", "GET /v1/pets", "GET /v1/pets → list pets"],
    ...["GET /v1/pets/{petId}", "GET /v1/pets/{petId}", "GET /v1/pets/{petId}"],
    ...[
      "GET /v1/pets/{petId} → get pets",
      "GET /v1/pets/{petId} → get pets",
      "POST /v1/pets",
      "POST /v1/pets → create pets",
    ],
  ]);
  const request = receiver.only("POST /v1/pets"), store = receiver.only("create pets");
  assert.deepEqual([request.traceId, request.parentSpanId, store.traceId], [TRACE, PARENT, TRACE]);
  assert.deepEqual([request.service, store.scope, store.kind], ["petstore", "petstore", "internal"]);
  assert.deepEqual([request.kind, request.status, request.attributes], ["server", { code: 0, message: "" }, {
    ...{ "http.request.method": "POST", "http.route": "/v1/pets", "http.response.status_code": 201 },
    ...{ "url.path": "/v1/pets", "url.scheme": "http" },
  }]);
  assert.deepEqual(store.attributes, {
    ...{ "db.system.name": "sqlite", "db.operation.name": "create", "db.collection.name": "pets" },
  });
  assert.equal(receiver.only("GET /v1/pets").attributes["url.query"], "limit=5");
  const line = JSON.parse(log);
  assert.deepEqual([line.traceId, line.spanId], [request.traceId, request.spanId]);
});

test("no key reaches the receiver, wherever a client puts it, and a name is never the client's", async () => {
  const receiver = await traced(["--traces=1"], async (server) => {
    await server.ask(`/v1/pets?limit=5&key=${SECRET}`, KEY);
    await server.ask(`/v1/pets/${SECRET}?${SECRET}`, SECRET);
    await exchange(server, `GET /${SECRET} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${SECRET}\r\n\r\n`);
    if (!ON_NODE) await exchange(server, `${SECRET} /v1/pets?cursor=${SECRET} HTTP/1.1\r\nHost: x\r\n\r\n`);
  });
  assert.equal(receiver.only("GET /v1/pets").attributes["url.query"], "limit=5&…");
  if (!ON_NODE) {
    const { attributes } = receiver.only("HTTP");
    assert.deepEqual([attributes["http.request.method"], attributes["url.query"]], ["_OTHER", "cursor=…"]);
  }
  assert.ok(receiver.text.includes("limit=5"));
  assert.ok(!receiver.text.includes(SECRET));
});

test("a failure of the store is an error with its exception, and so is the response 503", async () => {
  const receiver = await traced(["--traces=1", ...ON_FILE.args!.slice(1)], async (server, _receiver, folder) => {
    await new Ledger().create(server);
    renameSync(join(folder, FILE), join(folder, "elsewhere.db"));
    assertUnavailable(await new Ledger().send(server, "Luna"));
  });
  const [store] = receiver.spans.filter(({ name, status }) => name === "create pets" && status.code === 2);
  assert.equal(store?.attributes["error.type"], "StoreUnavailableError");
  const [exception] = store.events;
  assert.equal(exception?.name, "exception");
  assert.equal(exception.attributes["exception.type"], "StoreUnavailableError");
  assert.equal(exception.attributes["exception.message"], store.status.message);
  assert.match(store.status.message, /pets\.db/);
  const request = receiver.spans.find(({ spanId }) => spanId === store.parentSpanId);
  assert.deepEqual([request?.name, request?.status.code], ["POST /v1/pets", 2]);
  assert.equal(request?.attributes["http.response.status_code"], 503);
  assert.equal(request?.attributes["error.type"], "503");
});

test.workers("with several workers, the spans of each are sent, those of its store below them", async () => {
  const COUNT = 40;
  const receiver = await traced(["--traces=1", "--workers=2"], async (server) => {
    // A connection for each request, because Linux chooses a worker for a connection.
    const request = `GET /v1/pets?limit=7 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
    // Each worker keeps the page after its second request. Until its key is known, requests that come together all read.
    for (let i = 0; i < COUNT; i++) await exchange(server, request);
  });
  const names = receiver.names();
  assert.equal(names.filter((name) => name === "GET /v1/pets").length, COUNT);
  assert.equal(names.filter((name) => name === "GET /v1/pets → list pets").length, 4);
});

test("--traces takes the client's decision, and else a share of the requests, with their spans of the store", async () => {
  const receiver = await traced(["--traces=0.000000001"], async ({ ask }) => {
    const from = (traceparent: string) => ask(`/v1/pets?limit=${limit++}`, KEY, { headers: { traceparent } });
    let limit = 1;
    await from(`00-${TRACE}-${PARENT}-01`);
    await from(`cc-${TRACE}-${PARENT}-03-more`);
    for (
      const refused of [
        ...[`00-${TRACE}-${PARENT}-00`, `ff-${TRACE}-${PARENT}-01`, `00-${"0".repeat(32)}-${PARENT}-01`],
        ...[`00-${TRACE}-${"0".repeat(16)}-01`, `00-${TRACE.toUpperCase()}-${PARENT}-01`, `00-${TRACE}-${PARENT}-011`],
        ...[`00-${TRACE}${TRACE}-${PARENT}-01`, "00", "-", `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
      ]
    ) await from(refused);
    for (let i = 0; i < 20; i++) await ask("/v1/pets/1", KEY);
  });
  const requests = receiver.spans.filter(({ kind }) => kind === "server");
  assert.deepEqual(requests.map(({ attributes }) => attributes["url.query"]).sort(), ["limit=1", "limit=2"]);
  const CHILD = "GET /v1/pets → list pets";
  assert.deepEqual(receiver.names(), ["GET /v1/pets", "GET /v1/pets", CHILD, CHILD]);
  assert.ok(receiver.spans.every(({ traceId }) => traceId === TRACE));
});

test.deno("the task sends none of its flags to the receiver, and does not trace if it has", async () => {
  await using receiver = new Receiver();
  const start = (console: string) => {
    const env = { ...environment(), ...receiver.environment, ...EXPORT, OTEL_DENO_CONSOLE: console };
    const flags = ["--traces=1", "--port=0", "--store=memory:", `--key=${SECRET}`];
    return new Child(Deno.execPath(), ["task", "serve", ...flags], { cwd: ROOT, clearEnv: true, env });
  };
  await using child = start("ignore");
  const { ask } = serverAt(await started(child));
  assert.equal((await ask("/v1/pets", SECRET)).status, 200);
  assert.equal(await child.stop(), 0);
  receiver.only("GET /v1/pets");
  assert.ok(!receiver.text.includes(SECRET));
  const { status, stderr } = await start("capture").run();
  assert.equal(status, 2);
  assert.match(stderr, /--traces in a task needs OTEL_DENO_CONSOLE=ignore/);
});

test("a start says what is missing for --traces, and refuses the spans of Deno, which have the whole URL", () =>
  withTempFolder(async (folder) => {
    const said = async (args: string[], env: Record<string, string>) => {
      const { status, stderr } = await runServer(folder, { args, env });
      return [status, stderr];
    };
    const needs =
      "petstore: --traces needs OTEL_DENO=true and OTEL_DENO_TRACING=false in the environment, and not OTEL_DENO_CONSOLE=ignore\n";
    const others =
      "petstore: The spans of Deno have the whole URL of a request: set OTEL_DENO_TRACING=false, and --traces for those of the server\n";
    const sdk = "petstore: --traces needs OpenTelemetry's SDK, loaded with --import\n";
    assert.deepEqual(await said(["--traces=1"], {}), [2, ON_NODE ? sdk : needs]);
    if (!ON_NODE) assert.deepEqual(await said([], { OTEL_DENO: "true" }), [2, others]);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));
