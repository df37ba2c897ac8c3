/** The metrics of a server, in the text format of Prometheus. */

import assert from "node:assert/strict";
import { readFileSync, renameSync, statSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Metrics } from "../../lib/server/telemetry/metrics.ts";
import type { ObservedBatch } from "../../lib/stores/database/batch.ts";
import { VERSION } from "../../lib/server/process/version.ts";
import { createContext } from "../support/context.ts";
import { withFreshServerHere } from "../support/server/in_process.ts";
import { addPet, request } from "../support/server/server_process.ts";
import { readPage } from "../support/pages.ts";

const KEY = "pk_example";

test("the text has each value with its unit and its labels, and no client can make it grow or write a line of its own", () => {
  const batch: ObservedBatch = { unsettled: 2, onCommit: undefined };
  const metrics = new Metrics();
  const route = "/v1/pets/{petId}";
  const id = 'a"} 1\n# HELP\npetstore_requests_total{route="\\';
  // An alert about growth needs a first value.
  assert.match(metrics.format(), /_commit_duration_seconds_count 0\n[^]*_store_errors_total 0\n/);
  metrics.watch({ batch, pool: { size: 10, running: 4, waiting: 7 } });
  for (let i = 0; i < 900; i++) {
    const context = { ...createContext({}, `M${i}`), route, caller: { id } };
    metrics.observe(context, { status: 200, headers: { deprecation: "@1" }, body: null }, 0, 30_000);
  }
  for (const milliseconds of [5, 100, 20_000]) batch.onCommit!(1, milliseconds);
  metrics.onStoreError();
  const text = metrics.format();
  const caller = String.raw`a\"} 1\n# HELP\npetstore_requests_total{route=\"\\`;
  const lines = [
    `requests_total{method="other",status="200",route="${route}"} 900`,
    `deprecated_requests_total{caller="${caller}",route="${route}"} 900`,
    `request_duration_seconds_bucket{route="${route}",le="10"} 0`,
    `request_duration_seconds_bucket{route="${route}",le="+Inf"} 900`,
    `request_duration_seconds_sum{route="${route}"} 27000`,
    'commit_duration_seconds_bucket{le="0.0025"} 0',
    // A value on a bound is below it.
    'commit_duration_seconds_bucket{le="0.005"} 1',
    'commit_duration_seconds_bucket{le="0.1"} 2',
    'commit_duration_seconds_bucket{le="+Inf"} 3',
    "creates_waiting 2",
    'postgres_statements{state="running"} 4',
    'postgres_statements{state="waiting"} 7',
    "store_errors_total 1",
  ];
  for (const line of lines) assert.ok(text.includes(`\npetstore_${line}\n`), line);
  for (const line of text.trimEnd().split("\n")) assert.match(line, /^(# |[a-z_]+(\{.*\})? [\d.e-]+$)/);
});

test("--metrics serves what happened, at an address of its own, and nothing else there", () =>
  withFreshServerHere({ args: [`--key=${KEY}`, "--metrics=127.0.0.1:0"] }, async (server) => {
    const [, origin] = /metrics +(http:.*)\/metrics$/m.exec(server.written.stdout)!;
    const scrape = async () => {
      const response = await fetch(`${origin}/metrics`);
      assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
      return await response.text();
    };
    await addPet(server, KEY);
    const text = await scrape();
    assert.match(text, /^petstore_commit_duration_seconds_count 1$/m);
    assert.match(text, new RegExp(`^petstore_build_info\\{.*"${VERSION}"\\} 1$`, "m"));
    assert.ok(text.includes(`\npetstore_database_log_bytes ${statSync("data/petstore.db-wal").size}\n`));
    // Metrics are wanted most when the file is gone.
    renameSync("data/petstore.db", "data/moved.db");
    assert.match(await scrape(), /^petstore_database_bytes 0$/m);
    for (const url of [`${origin}/v1/pets`, `${server.origin}/metrics`]) {
      assert.equal((await request(url, KEY, {})).status, 404);
    }
    assert.equal((await request(`${origin}/metrics`, KEY, { method: "POST" })).status, 404);
    await server.stop();
    await assert.rejects(fetch(`${origin}/metrics`), TypeError, "nothing listens there any more");
  }));

const ALERTS = fileURLToPath(new URL("../../docs/petstore-alerts.yml", import.meta.url));
const DASHBOARD = new URL("../../docs/petstore-dashboard.json", import.meta.url);

test("the alert rules and the dashboard use metrics that the server has, each of these is on the dashboard, and each alert on the page", () => {
  const metrics = Array.from(new Metrics().format().matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = ""]) => name);
  const usedBy = (text: string) =>
    new Set(text.match(/\b(petstore|process)_\w+/g)?.map((name) => name.replace(/_(bucket|count|sum)$/, "")));
  const { panels } = JSON.parse(readFileSync(DASHBOARD, "utf8"));
  const shown = usedBy(JSON.stringify(panels));
  const alerts = readFileSync(ALERTS, "utf8");
  assert.deepEqual([...shown].sort(), metrics.toSorted());
  // The job that makes the backup writes this one.
  const known = [...metrics, "petstore_backup_timestamp_seconds"];
  assert.deepEqual([...usedBy(alerts)].filter((name) => !known.includes(name)), []);
  const page = readPage("docs/monitoring.md");
  for (const [, name] of alerts.matchAll(/- alert: (\w+)/g)) assert.ok(page.includes(`\`${name}\``), name);
});
