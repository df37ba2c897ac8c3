/** The traces of the server, as a receiver gets them. With SERVER_RUNTIME=node, those of the server on Node with OpenTelemetry's SDK. */

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { exchange } from "../support/http/raw_socket.ts";
import { assertUnavailable, FILE, Ledger, ON_FILE } from "../support/server/ledger.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import {
  addPet,
  PET,
  runServer,
  type ServerParts,
  type ServerProcess,
  withFreshServer,
} from "../support/server/server_process.ts";
import { testUnless } from "../support/system/commands.ts";
import { freePort } from "../support/system/free_port.ts";
import { withTempFolder } from "../support/temp.ts";
import { Receiver } from "./receiver.ts";

const test = Object.assign(testUnless(false), {
  workers: testUnless(ON_NODE && "workers need Deno"),
});

const KEY = "k";
const TRACE = "0af7651916cd43dd8448eb211c80319c", PARENT = "b7ad6b7169203331";
/** A key in the wrong place. */
const SECRET = "pk_0123456789abcdef0123456789";

/** Starts the SDK, and lets it see the modules that the server imports. */
const SDK = ["./sdk_hook.mjs", "./sdk.mjs"].map((path) => `--import=${import.meta.resolve(path)}`).join(" ");

/** Who starts the spans of requests. */
const BY_RUNTIME: ServerParts = ON_NODE ? { env: { NODE_OPTIONS: SDK } } : {};
const BY_SERVER: ServerParts = {
  args: ["--traces=1"],
  env: { OTEL_DENO_TRACING: "false", OTEL_DENO_CONSOLE: "capture" },
};
const WAYS: Record<string, ServerParts> = ON_NODE
  ? { "Node's SDK": BY_RUNTIME }
  : { "Deno": BY_RUNTIME, "the server": BY_SERVER };

/** Runs a server that exports to a receiver, to its end, at which all spans have been sent. */
async function traced(
  way: ServerParts,
  args: readonly string[],
  use: (server: ServerProcess, folder: string) => Promise<void>,
): Promise<Receiver> {
  await using receiver = new Receiver();
  const all = { args: [`--key=${KEY}`, ...way.args ?? [], ...args], env: { ...receiver.environment, ...way.env } };
  await withFreshServer(all, async (server, folder) => {
    await use(server, folder);
    assert.equal(await server.stop(), 0);
  });
  return receiver;
}

/** The runtime adds other attributes, which depend on it. */
function described(receiver: Receiver, name: string) {
  const { kind, status, attributes: { "url.scheme": scheme, ...all } } = receiver.only(name);
  assert.equal(scheme, "http");
  const attributes = Object.fromEntries(
    Object.entries(all).filter(([name]) => /^(url|http|error)\./.test(name)),
  );
  return { kind, status, attributes };
}

const UNSET = { code: 0, message: "" };

for (const [name, way] of Object.entries(WAYS)) {
  test(`with spans of ${name}, a span is named by its route, continues the trace of the client, and has the span of the store below it`, async () => {
    const receiver = await traced(way, [], async ({ ask }) => {
      const headers = { "content-type": "application/json", traceparent: `00-${TRACE}-${PARENT}-01` };
      await ask("/v1/pets", KEY, { method: "POST", headers, body: PET });
      await ask("/v1/pets/1", KEY);
      await ask("/v1/pets?limit=5", KEY);
      await ask("/readyz", null);
    });
    assert.deepEqual(receiver.names(), [
      ...["GET /readyz", "GET /readyz → check pets", "GET /v1/pets", "GET /v1/pets → list pets"],
      ...["GET /v1/pets/{petId}", "GET /v1/pets/{petId} → get pets", "POST /v1/pets", "POST /v1/pets → create pets"],
    ]);
    const request = receiver.only("POST /v1/pets"), store = receiver.only("create pets");
    assert.deepEqual([request.traceId, request.parentSpanId, store.traceId], [TRACE, PARENT, TRACE]);
    assert.deepEqual([request.service, store.scope, store.kind], ["petstore", "petstore", "internal"]);
    assert.deepEqual(described(receiver, "POST /v1/pets"), {
      ...{ kind: "server", status: UNSET },
      attributes: {
        ...{ "http.request.method": "POST", "http.route": "/v1/pets", "http.response.status_code": 201 },
        "url.path": "/v1/pets",
      },
    });
    assert.deepEqual(store.attributes, {
      ...{ "db.system.name": "sqlite", "db.operation.name": "create", "db.collection.name": "pets" },
    });
    assert.equal(receiver.only("GET /v1/pets").attributes["url.query"], "limit=5");
  });

  test(`with spans of ${name}, a kept response has no span of the store, and a refused request no route`, async () => {
    const receiver = await traced(way, [], async (server) => {
      await addPet(server, KEY);
      for (let i = 0; i < 3; i++) await server.ask("/v1/pets/1", KEY);
      await server.ask("/v1/pets/1", "wrong");
      await server.ask("/v1/nowhere", KEY);
    });
    assert.deepEqual(receiver.names(), [
      ...["GET", "GET", "GET /v1/pets/{petId}", "GET /v1/pets/{petId}", "GET /v1/pets/{petId}"],
      ...["GET /v1/pets/{petId} → get pets", "POST /v1/pets", "POST /v1/pets → create pets"],
    ]);
  });

  test(`with spans of ${name}, no key reaches the receiver, wherever a client puts it, and a name is never the client's`, async () => {
    const receiver = await traced(way, [], async (server) => {
      await server.ask(`/v1/pets?limit=5&key=${SECRET}`, KEY);
      await server.ask(`/v1/pets/${SECRET}?${SECRET}`, SECRET);
      await exchange(server, `GET /${SECRET} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${SECRET}\r\n\r\n`);
      if (!ON_NODE) await exchange(server, `${SECRET} /v1/pets?cursor=${SECRET} HTTP/1.1\r\nHost: x\r\n\r\n`);
    });
    assert.equal(described(receiver, "GET /v1/pets").attributes["url.query"], "limit=5&…");
    if (!ON_NODE) {
      const { attributes } = described(receiver, "HTTP");
      assert.deepEqual([attributes["http.request.method"], attributes["url.query"]], ["_OTHER", "…"]);
    }
    assert.ok(receiver.text.includes("limit=5"));
    assert.ok(!receiver.text.includes(SECRET));
  });

  test(`with spans of ${name}, a failure of the store is an error with its exception, and so is the response 503`, async () => {
    const receiver = await traced(way, ON_FILE.args!.slice(1), async (server, folder) => {
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
    // The SDK leaves it out.
    if (!ON_NODE) assert.equal(request?.attributes["error.type"], "503");
  });

  test(`with spans of ${name}, the JSON log has the ids of the span that is sent, and none without traces`, async () => {
    const ask = async ({ ask }: ServerProcess) => void await ask("/v1/pets", KEY);
    let output = "";
    const receiver = await traced(way, ["--log=json"], async (server) => {
      await ask(server);
      await server.printed(/"target"/);
      output = server.written.stdout;
    });
    const { traceId, spanId } = receiver.only("GET /v1/pets");
    const line = JSON.parse(output.split("\n").find((line) => line.includes('"target"'))!);
    assert.deepEqual([line.traceId, line.spanId], [traceId, spanId]);
    await withFreshServer({ args: [`--key=${KEY}`, "--log=json"] }, async (server) => {
      await ask(server);
      await server.printed(/"target"/);
      assert.doesNotMatch(server.written.stdout, /traceId/);
    });
  });
}

test("a scrape of the metrics has a span of its own, if the runtime makes it", async () => {
  const port = await freePort();
  const receiver = await traced(BY_RUNTIME, [`--metrics=127.0.0.1:${port}`], async () => {
    await (await fetch(`http://127.0.0.1:${port}/metrics`)).body?.cancel();
  });
  assert.deepEqual(receiver.names(), ["GET /metrics"]);
});

test("spans are sent while the server runs", async () => {
  await using receiver = new Receiver();
  const env = { ...receiver.environment, ...BY_RUNTIME.env, OTEL_BSP_SCHEDULE_DELAY: "50" };
  await withFreshServer({ args: [`--key=${KEY}`], env }, async ({ ask }) => {
    await ask("/v1/pets", KEY);
    await receiver.received(({ name }) => name === "GET /v1/pets");
  });
});

for (const [name, way] of Object.entries(WAYS)) {
  test.workers(`with several workers and spans of ${name}, those of each are sent, those of its store below them`, async () => {
    const COUNT = 40;
    const receiver = await traced(way, ["--workers=2"], async (server) => {
      // A connection for each request, because Linux chooses a worker for a connection.
      await Promise.all(
        Array.from(
          { length: COUNT },
          () => exchange(server, `GET /v1/pets?limit=7 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`),
        ),
      );
      await addPet(server, KEY);
    });
    const names = receiver.names();
    assert.equal(names.filter((name) => name === "GET /v1/pets").length, COUNT);
    assert.equal(names.filter((name) => name === "GET /v1/pets → list pets").length, 2);
    assert.ok(names.includes("POST /v1/pets → create pets"));
  });
}

test("a server that reads baggage says on standard error what it cannot answer", async () => {
  await using receiver = new Receiver();
  const { OTEL_PROPAGATORS: _, ...env } = receiver.environment;
  await withFreshServer({ args: [`--key=${KEY}`], env: { ...env, ...BY_RUNTIME.env } }, async (server) => {
    await server.ask("/livez", null);
    assert.match(
      server.written.stderr,
      /^petstore: a request with a malformed baggage header .* OTEL_PROPAGATORS=tracecontext$/m,
    );
  });
  const quiet = await traced(BY_RUNTIME, [], async (server) => {
    const response = await exchange(server, "GET /livez HTTP/1.1\r\nHost: x\r\nbaggage: a=%ZZ\r\n\r\n");
    assert.equal(response?.status, 200);
    assert.doesNotMatch(server.written.stderr, /baggage/);
  });
  assert.deepEqual(quiet.names(), ["GET /livez"]);
});

test.workers("--traces takes the client's decision, and else a share of the requests, with their spans of the store", async () => {
  const receiver = await traced({ ...BY_SERVER, args: ["--traces=0.000000001"] }, [], async ({ ask }) => {
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
  const limits = receiver.spans.filter(({ kind }) => kind === "server").map(({ attributes }) =>
    attributes["url.query"]
  );
  assert.deepEqual(limits.sort(), ["limit=1", "limit=2"]);
  const CHILD = "GET /v1/pets → list pets";
  assert.deepEqual(receiver.names(), ["GET /v1/pets", "GET /v1/pets", CHILD, CHILD]);
  assert.ok(receiver.spans.every(({ traceId }) => traceId === TRACE));
});

test("--traces says which variables are missing, or that Node has OTEL_TRACES_SAMPLER", () =>
  withTempFolder(async (folder) => {
    const said = async (env: Record<string, string>) => {
      const { status, stderr } = await runServer(folder, { args: ["--traces=1"], env });
      return [status, stderr];
    };
    const needs =
      "petstore: --traces needs OTEL_DENO=true and OTEL_DENO_TRACING=false in the environment, and not OTEL_DENO_CONSOLE=ignore\n";
    const both =
      "petstore: With --traces the server makes the spans of requests, so set OTEL_DENO_TRACING=false as well\n";
    const node = "petstore: --traces needs Deno; on Node, OTEL_TRACES_SAMPLER tells the SDK which requests to trace\n";
    assert.deepEqual(await said({}), [2, ON_NODE ? node : needs]);
    if (!ON_NODE) assert.deepEqual(await said({ OTEL_DENO: "true" }), [2, both]);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));
