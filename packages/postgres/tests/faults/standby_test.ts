import assert from "node:assert/strict";
import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { findSystemBinaries } from "../../../../tests/support/postgres/binaries.ts";
import {
  type Cluster,
  kill,
  removeCluster,
  runAs,
  startStandby,
  whyNoCluster,
} from "../../../../tests/support/postgres/cluster.ts";
import { until } from "../../../../tests/support/until.ts";
import { createOnce, KEY, urlOf, withCluster, withServers } from "../../../../tests/support/postgres/servers.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const programs = findSystemBinaries(["initdb", "postgres", "pg_ctl", "pg_basebackup"]);
const test = testUnless(whyNoCluster() || (programs ? false : "the system has no PostgreSQL with pg_basebackup"));

/**
 * A commit waits for the standby too: otherwise a lost primary takes acknowledged pets with it. From the start on, because nothing
 * tells when a running PostgreSQL has taken it over; and the standby, which copies the primary's files, must not have it.
 */
const WAIT = ["synchronous_standby_names='*'"];

const FOLLOWING =
  "SELECT count(*) FROM pg_stat_replication WHERE application_name = 'walreceiver' AND sync_state = 'sync'";

function withStandby(use: (primary: Cluster, standby: Cluster) => Promise<void>): Promise<void> {
  return withCluster(
    async (primary) => {
      const standby = await startStandby(primary);
      try {
        await until("the standby", async () => (await runSql(urlOf(primary), FOLLOWING))[0]?.[0] === "1");
        await use(primary, standby);
      } finally {
        removeCluster(standby);
      }
    },
    WAIT,
    { programs },
  );
}

function promote(standby: Cluster): void {
  runAs(standby, "pg_ctl", ["-D", `${standby.folder}/data`, "promote", "-w"]);
}

test("a server on a standby lists what the primary has and refuses creates, until the standby is promoted", () =>
  withStandby((primary, standby) =>
    withServers(urlOf(primary), 1, ([writer]) =>
      withServers(urlOf(standby), 1, async ([reader]) => {
        assert.ok(writer && reader);
        assert.equal((await createOnce(writer, "Rex")).status, 201);
        while ((await reader.ask("/v1/pets", KEY)).text === "[]");
        assert.equal((await reader.ask("/v1/pets/1", KEY)).status, 200);
        assert.equal((await reader.ask("/readyz", null)).status, 200);
        const { status, text, headers } = await createOnce(reader, "Bo");
        assert.deepEqual([status, JSON.parse(text).code, headers.get("retry-after")], [503, "store_unavailable", "5"]);
        kill(primary);
        promote(standby);
        while ((await createOnce(reader, "Bo")).status !== 201);
        assert.equal(JSON.parse((await reader.ask("/v1/pets", KEY)).text).length, 2);
      }))
  ));
