/** The metrics of a server, read by other people's parser. */

import assert from "node:assert/strict";
import parse from "parse-prometheus-text-format";
import type { RequestContext } from "../../lib/http/context.ts";
import { Metrics } from "../../lib/server/metrics/metrics.ts";
import { addSamples, formatSamples, OPEN_METRICS } from "../../lib/server/metrics/samples.ts";
import { VERSION } from "../../lib/version.ts";
import { createContext } from "../support/context.ts";
import { addPet, runServer, withFreshServer } from "../support/server/server_process.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { testUnless } from "../support/system/commands.ts";
import { freePort } from "../support/system/free_port.ts";
import { withTempFolder } from "../support/temp.ts";
import { until } from "../support/until.ts";

const test = Object.assign(testUnless(false), { workers: testUnless(ON_NODE && "workers need Deno") });

const KEY = "pk_example";

interface Parsed {
  name: string;
  metrics: {
    labels?: Record<string, string>;
    value?: string;
    count?: string;
    sum?: string;
    buckets?: Record<string, string>;
  }[];
}

/** The values of all samples, by name and labels. */
function valuesOf(text: string): Map<string, number> {
  assert.ok(text.endsWith("\n# EOF\n"));
  const values = new Map<string, number>();
  for (const { name, metrics } of parse(text) as Parsed[]) {
    for (const { labels = {}, value, count, buckets = {} } of metrics) {
      const of = Object.keys(labels).sort().map((name) => labels[name]).join(" ");
      values.set(`${name} ${of}`.trim(), Number(value ?? count));
      for (const [le, below] of Object.entries(buckets)) values.set(`${name} <= ${le}`, Number(below));
    }
  }
  return values;
}

/** Counts a response that took this many milliseconds. */
function count(metrics: Metrics, exchange: Partial<RequestContext>, status: number, milliseconds = 0): void {
  const startedAt = performance.now() - milliseconds;
  metrics.observe(
    Object.assign(createContext({}), exchange),
    { status, headers: {}, body: null },
    startedAt,
    performance.now(),
  );
}

const ROUTE = "/v1/pets/{petId}";
const isDeprecated = (_method: string, route: string) => route === ROUTE;

test("unknown routes, methods and callers share a label each, so memory stays constant", () => {
  const metrics = new Metrics(isDeprecated, () => 0);
  const size = () => formatSamples(metrics.read()).length;
  for (let i = 0; i < 100; i++) count(metrics, { route: ROUTE, method: `M${i}`, caller: { id: `caller-${i}` } }, 200);
  count(metrics, { method: "BREW" }, 404);
  count(metrics, { route: ROUTE, caller: { id: "late" } }, 200);
  const before = size();
  for (let i = 100; i < 900; i++) {
    count(metrics, { route: ROUTE, method: `M${i}`, caller: { id: `caller-${i}` } }, 200);
    count(metrics, { method: `N${i}` }, 404);
  }
  assert.ok(size() - before < 50);
  const values = valuesOf(formatSamples(metrics.read()));
  assert.equal(values.get(`petstore_requests_total other ${ROUTE} 200`), 900);
  assert.equal(values.get("petstore_requests_total other  404"), 801);
  assert.equal(values.get(`petstore_deprecated_requests_total caller-7 ${ROUTE}`), 1);
  assert.equal(values.get(`petstore_deprecated_requests_total other ${ROUTE}`), 801);
});

test("a label shows any caller, and no caller can write a line of its own", () => {
  const metrics = new Metrics(isDeprecated, () => 0);
  const id = 'a"} 1\n# EOF\npetstore_requests_total{route="\\\ud800';
  count(metrics, { route: ROUTE, caller: { id } }, 200);
  const text = formatSamples(metrics.read());
  assert.equal(valuesOf(text).get(`petstore_deprecated_requests_total ${id.toWellFormed()} ${ROUTE}`), 1);
  for (const line of text.trimEnd().split("\n")) assert.match(line, /^(# |[a-z_]+(\{.*\})? [\d.e-]+$)/);
});

test("histograms are cumulative, and those of several workers are added", () => {
  const workers = [new Metrics(isDeprecated, () => 2), new Metrics(isDeprecated, () => 3)];
  for (const metrics of workers) {
    count(metrics, { route: ROUTE }, 200, 30_000);
    for (const creates of [1, 3, 600]) metrics.onCommit(creates, 5);
    metrics.onStoreError();
  }
  const values = valuesOf(formatSamples(addSamples(workers.map((metrics) => metrics.read()))));
  const shown = ["1.0", "2.0", "4.0", "512.0", "+Inf"].map((le) => values.get(`petstore_commit_creates <= ${le}`));
  assert.deepEqual(shown, [2, 2, 4, 4, 6]);
  assert.equal(values.get("petstore_request_duration_seconds <= 10.0"), 0);
  assert.equal(values.get("petstore_request_duration_seconds <= +Inf"), 2);
  assert.equal(values.get("petstore_creates_waiting"), 5);
  assert.equal(values.get("petstore_store_errors_total"), 2);
});

test("--metrics serves what happened, at an address of its own, and nothing else there", async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  await withFreshServer({ args: [`--key=${KEY}`, `--metrics=127.0.0.1:${port}`] }, async (server) => {
    await addPet(server, KEY);
    for (const path of ["/v1/pets/1", "/v1/pets/1", "/v1/nowhere"]) await server.ask(path, KEY);
    await server.ask("/v1/pets", "wrong");
    assert.equal((await server.ask("/metrics", KEY)).status, 404);
    const response = await fetch(`${origin}/metrics`);
    assert.equal(response.headers.get("content-type"), OPEN_METRICS);
    const values = valuesOf(await response.text());
    assert.equal(values.get(`petstore_requests_total GET ${ROUTE} 200`), 2);
    assert.equal(values.get("petstore_requests_total POST /v1/pets 201"), 1);
    assert.equal(values.get("petstore_requests_total GET  401"), 1);
    assert.equal(values.get("petstore_requests_total GET  404"), 2);
    assert.equal(values.get("petstore_commit_creates <= 1.0"), 1);
    const [caller] = [...values.keys()].filter((name) => name.startsWith("petstore_deprecated_requests_total"));
    assert.match(caller ?? "", /_total key-[0-9a-f]{32} \/v1\/pets\/\{petId\}$/);
    assert.ok(
      [...values.keys()].some((name) => /^petstore_build_info (deno|node) /.test(name) && name.endsWith(VERSION)),
    );
    assert.ok(Math.abs(Date.now() / 1000 - (values.get("process_start_time_seconds") ?? 0)) < 60);
    for (const path of ["/", "/v1/pets", "/livez"]) {
      const other = await fetch(origin + path, { headers: { authorization: `Bearer ${KEY}` } });
      assert.equal(other.status, 404);
      await other.body?.cancel();
    }
    assert.equal(await server.stop(), 0);
  });
});

test.workers("with several workers, /metrics adds up what each has counted", async () => {
  const port = await freePort();
  await withFreshServer({ args: [`--key=${KEY}`, "--workers=2", `--metrics=127.0.0.1:${port}`] }, async (server) => {
    for (let i = 0; i < 20; i++) await addPet(server, KEY);
    await until("all requests are counted", async () => {
      const values = valuesOf(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
      return values.get("petstore_requests_total POST /v1/pets 201") === 20;
    });
    assert.equal(await server.stop(), 0);
  });
});

test("a taken address for metrics ends the start, and nothing is written", () =>
  withTempFolder(async (folder) => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = taken.addr as Deno.NetAddr;
    const { status, stderr } = await runServer(folder, { args: [`--metrics=127.0.0.1:${port}`] });
    assert.deepEqual([status, stderr.includes(`Cannot listen on 127.0.0.1:${port}`)], [1, true], stderr);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));
