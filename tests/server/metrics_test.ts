/** The metrics of a server, read by other people's parser. */

import assert from "node:assert/strict";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { RequestContext } from "../../lib/http/context.ts";
import { Metrics } from "../../lib/server/telemetry/metrics.ts";
import { formatSamples, METRICS_TEXT } from "../../lib/server/telemetry/samples.ts";
import type { CommittingStore } from "../../lib/stores/batch.ts";
import { VERSION } from "../../lib/server/process/version.ts";
import { createContext } from "../support/context.ts";
import { inFolder, withFreshServerHere } from "../support/server/in_process.ts";
import { valuesOf } from "../support/server/metrics.ts";
import { addPet } from "../support/server/server_process.ts";
import { hasCommand, testUnless } from "../support/system/commands.ts";
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
  const values = valuesOf(formatSamples(metrics.read()));
  assert.equal(values.get(`petstore_requests_total other ${ROUTE} 200`), 900);
  assert.equal(values.get("petstore_requests_total other  404"), 801);
  assert.equal(values.get(`petstore_deprecated_requests_total caller-7 ${ROUTE}`), 1);
  // A caller that has a line of its own keeps it, although there is no room for others.
  count(metrics, { route: ROUTE, caller: { id: "caller-7" } }, 200);
  const later = valuesOf(formatSamples(metrics.read()));
  assert.equal(later.get(`petstore_deprecated_requests_total caller-7 ${ROUTE}`), 2);
  assert.equal(values.get(`petstore_deprecated_requests_total other ${ROUTE}`), 801);
});

test("a label shows any caller, and no caller can write a line of its own", () => {
  const metrics = new Metrics({});
  const id = 'a"} 1\n# HELP\npetstore_requests_total{route="\\\ud800';
  count(metrics, { route: ROUTE, caller: { id } }, 200);
  const text = formatSamples(metrics.read());
  assert.equal(valuesOf(text).get(`petstore_deprecated_requests_total ${id.toWellFormed()} ${ROUTE}`), 1);
  for (const line of text.trimEnd().split("\n")) assert.match(line, /^(# |[a-z_]+(\{.*\})? [\d.e-]+$)/);
});

test("histograms are cumulative, and each value has its unit", () => {
  const batch: CommittingStore["batch"] = { unsettled: 2, onCommit: undefined };
  const metrics = new Metrics({ batch, pool: { size: 10, running: 4, waiting: 7 } });
  count(metrics, { route: ROUTE }, 200, 30_000);
  for (const milliseconds of [5, 100, 20_000]) batch.onCommit!(1, milliseconds);
  metrics.onStoreError();
  const values = valuesOf(formatSamples(metrics.read()));
  const shown = ["0.0025", "0.005", "0.1", "10.0", "+Inf"].map((le) =>
    values.get(`petstore_commit_duration_seconds <= ${le}`)
  );
  // A value on a bound is below it.
  assert.deepEqual(shown, [0, 1, 2, 2, 3]);
  assert.equal(values.get("petstore_request_duration_seconds <= 10.0"), 0);
  assert.equal(values.get("petstore_request_duration_seconds <= +Inf"), 1);
  assert.equal(values.get("petstore_creates_waiting"), 2);
  assert.equal(values.get("petstore_postgres_pool_size"), 10);
  assert.equal(values.get("petstore_postgres_statements running"), 4);
  assert.equal(values.get("petstore_postgres_statements waiting"), 7);
  assert.equal(values.get("petstore_store_errors_total"), 1);
});

test("--metrics serves what happened, at an address of its own, and nothing else there", async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  await withFreshServerHere({ args: [`--key=${KEY}`, `--metrics=127.0.0.1:${port}`] }, async (server) => {
    await addPet(server, KEY);
    await server.ask("/v1/pets/1", KEY);
    assert.equal((await server.ask("/metrics", KEY)).status, 404);
    const response = await fetch(`${origin}/metrics`);
    assert.equal(response.headers.get("content-type"), METRICS_TEXT);
    const values = valuesOf(await response.text());
    assert.equal(values.get("petstore_commit_duration_seconds <= +Inf"), 1);
    const [caller] = [...values.keys()].filter((name) => name.startsWith("petstore_deprecated_requests_total"));
    assert.match(caller ?? "", /_total key-[0-9a-f]{32} \/v1\/pets\/\{petId\}$/);
    assert.ok(
      [...values.keys()].some((name) => /^petstore_build_info (deno|node) /.test(name) && name.endsWith(VERSION)),
    );
    const sizes = ["", "_log"].map((part) => values.get(`petstore_database${part}_bytes`));
    assert.deepEqual(sizes, ["", "-wal"].map((end) => statSync(`data/petstore.db${end}`).size));
    const memory = values.get("process_resident_memory_bytes") ?? 0;
    assert.ok(memory > 10e6 && memory < 10e9, `${memory} bytes`);
    // Metrics are wanted most when the file is gone.
    renameSync("data/petstore.db", "data/moved.db");
    const later = await fetch(`${origin}/metrics`);
    assert.equal(valuesOf(await later.text()).get("petstore_database_bytes"), 0);
    renameSync("data/moved.db", "data/petstore.db");
    assert.ok(Math.abs(Date.now() / 1000 - (values.get("process_start_time_seconds") ?? 0)) < 60);
    for (const path of ["/", "/v1/pets", "/livez"]) {
      const other = await fetch(origin + path, { headers: { authorization: `Bearer ${KEY}` } });
      assert.equal(other.status, 404);
      await other.body?.cancel();
    }
    assert.equal(await server.stop(), 0);
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

function promtool(args: string[], input = ""): void {
  writeFileSync("input", input);
  const { success, stdout, stderr } = new Deno.Command("sh", { args: ["-c", 'promtool "$@" < input', "", ...args] })
    .outputSync();
  const decoder = new TextDecoder();
  assert.ok(success && stderr.length === 0, decoder.decode(stdout) + decoder.decode(stderr));
}

const testPromtool = testUnless(hasCommand("promtool") ? false : "there is no promtool");

/** Metrics with a sample of each family. */
function everySample(): string {
  const batch: CommittingStore["batch"] = { unsettled: 2, onCommit: undefined };
  const metrics = new Metrics({ batch, pool: { size: 10, running: 4, waiting: 7 } });
  count(metrics, { route: ROUTE, caller: { id: "caller" } }, 200);
  return formatSamples(metrics.read());
}

test("the alert rules and the dashboard use metrics that the server has, and each of these is on the dashboard", () => {
  const usedBy = (text: string) => new Set(text.match(/\b(petstore|process)_\w+/g));
  const { panels } = JSON.parse(readFileSync(DASHBOARD, "utf8"));
  const shown = usedBy(JSON.stringify(panels));
  // The job that makes the backup writes this one.
  const known = new Set([...sampleNames(formatSamples({})), "petstore_backup_timestamp_seconds"]);
  for (const name of [...shown, ...usedBy(readFileSync(ALERTS, "utf8"))]) assert.ok(known.has(name), name);
  for (const [, name = ""] of formatSamples({}).matchAll(/^# TYPE (\w+)/gm)) {
    assert.ok([...shown].some((each) => each.startsWith(name)), name);
  }
});

/**
 * When there is an alert, by the series of the last backup: none at all, as where no backups are made, one that has ended, one of
 * the start, and one every day.
 */
const BACKUPS = [
  ["", "2h", ""],
  ["0x24 _x40", "60h", "PetstoreBackupGone", "Backups were reported in the last 30 days, and are no more"],
  ["0x100", "49h", "PetstoreBackupOld", "The last backup is 2d 1h 0m 0s old"],
  ["0x24 86400x24 172800x24", "71h", ""],
];

testPromtool(
  "Prometheus accepts the metrics and the alert rules, and these tell of a backup that is missing or old",
  () =>
    inFolder(() => {
      promtool(["check", "metrics"], everySample());
      promtool(["check", "rules", ALERTS]);
      const tests = BACKUPS.map(([values, time, expected, summary]) => ({
        interval: "1h",
        input_series: values === "" ? [] : [{ series: "petstore_backup_timestamp_seconds", values }],
        alert_rule_test: ["PetstoreBackupGone", "PetstoreBackupOld"].map((alertname) => ({
          eval_time: time,
          alertname,
          exp_alerts: alertname === expected
            ? [{ exp_labels: { severity: "critical" }, exp_annotations: { summary } }]
            : [],
        })),
      }));
      writeFileSync("tests.yml", JSON.stringify({ rule_files: [ALERTS], evaluation_interval: "1h", tests }));
      promtool(["test", "rules", "tests.yml"]);
    }),
);
