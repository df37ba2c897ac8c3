import assert from "node:assert/strict";
import { runSql } from "../../support/postgres/postgres.ts";
import { findSystemBinaries } from "../../support/postgres/binaries.ts";
import {
  type Cluster,
  kill,
  removeCluster,
  runAs,
  startStandby,
  whyNoCluster,
} from "../../support/postgres/cluster.ts";
import { until } from "../../support/until.ts";
import {
  addPet,
  at,
  countStored,
  createOnce,
  KEY,
  underLoad,
  untilAnswered,
  urlOf,
  withCluster,
  withServers,
} from "../../support/postgres/servers.ts";
import { testUnless } from "../../support/system/commands.ts";

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

test("servers that know both hosts switch to a promoted standby, and no pet is lost or doubled", () =>
  withStandby(async (primary, standby) => {
    const both = `postgres://postgres:hunter2@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
    await withServers(`${both}?target_session_attrs=read-write`, 2, async (servers) => {
      await underLoad(urlOf(standby), servers, 8, async () => {
        const count = (of: Cluster) => countStored(urlOf(of));
        while (await count(primary) < 50);
        kill(primary);
        for (const server of servers) await untilAnswered(server, "/readyz", 503);
        promote(standby);
        for (const server of servers) await untilAnswered(server, "/readyz", 200);
        for (const before = await count(standby); await count(standby) < before + 50;);
      });
    });
  }));

test("of two hosts that both say they are the primary, the store uses the one that was promoted last", () =>
  withStandby(async (old, promoted) => {
    promote(promoted);
    for (const hosts of [[old, promoted], [promoted, old]]) {
      const both = hosts.map(({ port }) => `127.0.0.1:${port}`).join();
      await addPet(at(urlOf(old), both, "?target_session_attrs=read-write"));
    }
    assert.equal(await countStored(urlOf(promoted)), 2);
    const tables = await runSql(urlOf(old), "SELECT count(*) FROM pg_tables WHERE schemaname = 'petstore'");
    assert.deepEqual(tables, [["0"]]);
  }));
