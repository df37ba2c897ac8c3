import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { type Cluster, pidOf, whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { countFailures } from "../../../../tests/support/server/failures.ts";
import type { ServerProcess } from "../../../../tests/support/server/server_process.ts";
import {
  createOnce,
  KEY,
  untilAnswered,
  withCluster,
  withServers,
} from "../../../../tests/support/postgres/servers.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster());

function signal(cluster: Cluster, name: "STOP" | "CONT"): void {
  const pid = String(pidOf(cluster));
  const children = spawnSync("pgrep", ["-P", pid], { encoding: "utf8" }).stdout.split("\n").filter(Boolean);
  assert.equal(spawnSync("kill", [`-${name}`, pid, ...children]).status, 0);
}

/** Creates different pets with one key, so that each create needs a statement of its own. */
function createWithOneKey(server: ServerProcess, name: string) {
  const headers = { "content-type": "application/json", "idempotency-key": "one" };
  return server.ask("/v1/pets", KEY, { method: "POST", headers, body: JSON.stringify({ name, categoryId: 7 }) });
}

/** Answers every create with 503, and ends at SIGTERM. */
async function assertEnds(server: ServerProcess): Promise<void> {
  const creates = Array.from({ length: 30 }, (_, i) => createWithOneKey(server, `ending ${i}`));
  await Promise.race(creates);
  const more = Array.from({ length: 30 }, (_, i) => createOnce(server, `ending.${i}`));
  // Those have reached the store: a later request on another connection has been answered.
  await server.ask("/livez", null);
  assert.equal(await server.stop(), 0);
  const responses = await Promise.all([...creates, ...more]);
  assert.deepEqual([...new Set(responses.map(({ status }) => status))], [503]);
}

/** The first is sent, and most others wait for it. */
async function assertRefuses(server: ServerProcess): Promise<void> {
  const creates = Array.from({ length: 11 }, (_, i) => createOnce(server, `staying.${i}`));
  const statuses = (await Promise.all(creates)).map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)], [503]);
}

test("while PostgreSQL hangs, servers answer in time and end at SIGTERM; later none has stored what was refused unsent", () =>
  withCluster((cluster, url) =>
    withServers(url, 2, async ([ending, staying]) => {
      for (const server of [ending!, staying!]) {
        assert.equal((await createOnce(server, "Rex" + server.port)).status, 201);
      }
      signal(cluster, "STOP");
      await Promise.all([assertEnds(ending!), assertRefuses(staying!)]);
      signal(cluster, "CONT");
      await untilAnswered(staying!, "/readyz", 200);
      assert.equal((await createOnce(staying!, "after")).status, 201);
      assert.equal(await staying!.stop(), 0);
      const [[stored] = []] = await runSql(url, "SELECT count(*) FROM petstore.pets WHERE name LIKE 'staying.%'");
      // A statement cannot be taken back from a stopped process.
      const count = (reason: string) => countFailures(staying!.written.stderr, reason);
      const sent = count("PostgreSQL has not answered within"),
        waiting = count("PostgreSQL did not finish the earlier creates");
      assert.equal(sent + waiting, 11, staying!.written.stderr);
      assert.ok(Number(stored) <= sent, `${stored} were stored, but only ${sent} were sent`);
    })
  ));
