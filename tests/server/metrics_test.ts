/** The metrics of a server, read by other people's parser. */

import assert from "node:assert/strict";
import { readFileSync, renameSync, statSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { RequestContext } from "../../lib/http/context.ts";
import { Metrics } from "../../lib/server/telemetry/metrics.ts";
import { formatSamples, METRICS_TEXT } from "../../lib/server/telemetry/samples.ts";
import type { CommittingStore } from "../../lib/stores/batch.ts";
import { VERSION } from "../../lib/server/process/version.ts";
import { createContext } from "../support/context.ts";
import { withFreshServerHere } from "../support/server/in_process.ts";
import { samplesOf } from "../support/server/metrics.ts";
import { addPet } from "../support/server/server_process.ts";
import { readPage } from "../support/pages.ts";
import { freePort } from "../support/system/free_port.ts";

const KEY = "pk_example";

/** Counts a response that took this many milliseconds. */
function count(metrics: Metrics, exchange: Partial<RequestContext>, status: number, milliseconds = 0): void {
  const startedAt = performance.now() - milliseconds;
  const reply = { status, headers: { deprecation: "@1" }, body: null };
  metrics.observe(Object.assign(createContext({}), exchange), reply, startedAt, performance.now());
}

const ROUTE = "/v1/pets/{petId}";

test("unknown routes, methods and callers share a label each, so memory stays constant", () => {
  const metrics = new Metrics({});
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
  // A caller that has a line of its own keeps it, although there is no room for others.
  count(metrics, { route: ROUTE, caller: { id: "caller-7" } }, 200);
  const values = samplesOf(formatSamples(metrics.read()));
  const names = [`requests_total other 200 ${ROUTE}`, "requests_total other 404"]
    .concat(["caller-7", "other"].map((caller) => `deprecated_requests_total ${caller} ${ROUTE}`));
  assert.deepEqual(names.map((name) => values.get(`petstore_${name}`)), [900, 801, 2, 801]);
});

test("a label shows any caller, and no caller can write a line of its own", () => {
  const metrics = new Metrics({});
  const id = 'a"} 1\n# HELP\npetstore_requests_total{route="\\\ud800';
  count(metrics, { route: ROUTE, caller: { id } }, 200);
  const text = formatSamples(metrics.read());
  assert.equal(samplesOf(text).get(`petstore_deprecated_requests_total ${id.toWellFormed()} ${ROUTE}`), 1);
  for (const line of text.trimEnd().split("\n")) assert.match(line, /^(# |[a-z_]+(\{.*\})? [\d.e-]+$)/);
});

/** Metrics with a sample of each family. */
function everySample(): string {
  const batch: CommittingStore["batch"] = { unsettled: 2, onCommit: undefined };
  const metrics = new Metrics({ batch, pool: { size: 10, running: 4, waiting: 7 } });
  count(metrics, { route: ROUTE, caller: { id: "caller" } }, 200, 30_000);
  for (const milliseconds of [5, 100, 20_000]) batch.onCommit!(1, milliseconds);
  metrics.onStoreError();
  return formatSamples(metrics.read());
}

test("histograms are cumulative, and each value has its unit", () => {
  const values = samplesOf(everySample());
  // A value on a bound is below it.
  const commits = ["0.0025", "0.005", "0.1", "10.0", "+Inf"];
  const requests = ["10.0", "+Inf"].map((bound) =>
    values.get(`petstore_request_duration_seconds_bucket ${ROUTE} ${bound}`)
  );
  assert.deepEqual(commits.map((bound) => values.get(`petstore_commit_duration_seconds_bucket ${bound}`)), [
    0,
    1,
    2,
    2,
    3,
  ]);
  assert.deepEqual(requests, [0, 1]);
  const single = [
    "creates_waiting",
    "postgres_pool_size",
    "postgres_statements running",
    "postgres_statements waiting",
    "store_errors_total",
  ];
  assert.deepEqual(single.map((name) => values.get(`petstore_${name}`)), [2, 10, 4, 7, 1]);
});

test("--metrics serves what happened, at an address of its own, and nothing else there", async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  await withFreshServerHere({ args: [`--key=${KEY}`, `--metrics=127.0.0.1:${port}`] }, async (server) => {
    await addPet(server, KEY);
    assert.equal((await server.ask("/metrics", KEY)).status, 404);
    const response = await fetch(`${origin}/metrics`);
    assert.equal(response.headers.get("content-type"), METRICS_TEXT);
    const values = samplesOf(await response.text());
    assert.equal(values.get("petstore_commit_duration_seconds_bucket +Inf"), 1);
    assert.ok(
      [...values.keys()].some((name) => /^petstore_build_info (deno|node) /.test(name) && name.endsWith(VERSION)),
    );
    const sizes = ["", "_log"].map((part) => values.get(`petstore_database${part}_bytes`));
    assert.deepEqual(sizes, ["", "-wal"].map((end) => statSync(`data/petstore.db${end}`).size));
    // Metrics are wanted most when the file is gone.
    renameSync("data/petstore.db", "data/moved.db");
    const later = await fetch(`${origin}/metrics`);
    assert.equal(samplesOf(await later.text()).get("petstore_database_bytes"), 0);
    renameSync("data/moved.db", "data/petstore.db");
    const other = await fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${KEY}` } });
    await other.body?.cancel();
    assert.equal(other.status, 404);
    assert.equal(await server.stop(), 0);
    await assert.rejects(fetch(`${origin}/metrics`), TypeError, "nothing listens there any more");
  });
});

const ALERTS = fileURLToPath(new URL("../../docs/petstore-alerts.yml", import.meta.url));
const DASHBOARD = new URL("../../docs/petstore-dashboard.json", import.meta.url);

/** The names of all samples, as the lines about their families tell them. */
function sampleNames(text: string): string[] {
  return Array.from(text.matchAll(/^# HELP (\w+) .+\n# TYPE \1 (\w+)$/gm)).flatMap(([, name = "", type]) =>
    type === "histogram" ? ["_bucket", "_count", "_sum"].map((end) => name + end) : [name]
  );
}

test("the alert rules and the dashboard use metrics that the server has, each of these is on the dashboard, and each alert on the page", () => {
  const usedBy = (text: string) => new Set(text.match(/\b(petstore|process)_\w+/g));
  const { panels } = JSON.parse(readFileSync(DASHBOARD, "utf8"));
  const shown = usedBy(JSON.stringify(panels));
  // The job that makes the backup writes this one.
  const known = new Set([...sampleNames(formatSamples({})), "petstore_backup_timestamp_seconds"]);
  for (const name of [...shown, ...usedBy(readFileSync(ALERTS, "utf8"))]) assert.ok(known.has(name), name);
  for (const [, name = ""] of formatSamples({}).matchAll(/^# TYPE (\w+)/gm)) {
    assert.ok([...shown].some((each) => each.startsWith(name)), name);
  }
  const page = readPage("docs/monitoring.md");
  for (const [, name] of readFileSync(ALERTS, "utf8").matchAll(/- alert: (\w+)/g)) {
    assert.ok(page.includes(`\`${name}\``), name);
  }
});
