/** `deno task bench postgres`: servers on one PostgreSQL compared with pgbench, and plans on a large table. */

import { runSql } from "../../tests/support/postgres/postgres.ts";
import { findSystemBinaries } from "../../tests/support/postgres/binaries.ts";
import { removeCluster, startCluster, whyNoCluster } from "../../tests/support/postgres/cluster.ts";
import { parseFlags, readCount, runTool, UsageError } from "../../tools/command_line.ts";
import { findObstacle } from "../load/cores.ts";
import { measureDisturbance, readMachine, readVersions } from "../report/machine.ts";
import { formatFacts, formatTable } from "../report/table.ts";
import { measureData } from "./data.ts";
import { measureNetwork } from "./network.ts";
import { formatPlans, writePostgresPage } from "./page.ts";
import { measurePlans } from "./plans.ts";
import { measureThroughput } from "./throughput.ts";

const HELP = `deno task bench postgres [options]

  --rounds N    measured rounds, by default 5
  --pets N      pets of the large table, by default 10000000
  --only network  only the servers with a network between them and PostgreSQL
  --help        this text

It needs the system's PostgreSQL with pgbench, and wrk. A run with 5 rounds or more and ten million pets or more writes
bench/postgres.md.
`;

/** A complete run. Only such a run writes the page. */
const WHOLE = { rounds: 5, pets: 10_000_000 };

/** Durable, as PostgreSQL is by default, with room for pgbench's clients and for the log of filling the table. */
const SETTINGS = ["shared_buffers=512MB", "max_connections=300", "max_wal_size=4GB", "track_functions=pl"];

await runTool("bench-postgres", async (folder) => {
  const values = parseFlags(Deno.args, HELP, {
    rounds: { type: "string" },
    pets: { type: "string" },
    only: { type: "string" },
  });
  if (![undefined, "network"].includes(values.only)) throw new UsageError("--only takes network alone");
  const rounds = readCount("rounds", values.rounds, WHOLE.rounds);
  const pets = readCount("pets", values.pets, WHOLE.pets);
  const programs = findSystemBinaries(["initdb", "postgres", "pg_ctl", "pgbench"]);
  const obstacle = findObstacle() ?? (whyNoCluster() || (programs ? undefined : "the benchmark needs pgbench"));
  if (obstacle) throw new UsageError(obstacle);
  const begin = Date.now();
  const disturbance = await measureDisturbance();
  const cluster = await startCluster(SETTINGS, { programs });
  try {
    const url = `postgres://postgres@127.0.0.1:${cluster.port}/postgres`;
    const [[version = ""] = []] = await runSql(url, "SHOW server_version");
    const facts = [...(await readVersions()).filter(([name]) => /^(Petstore|Deno|V8|wrk)$/.test(name))];
    facts.push(["PostgreSQL", String(version)], ...readMachine(folder));
    // Short ones: the network has the most contenders.
    const measureFar = () => measureNetwork(cluster, folder, { rounds: Math.min(rounds, 2), seconds: 2 });
    if (values.only) {
      console.log(formatTable(await measureFar()));
      return [];
    }
    console.error("bench: throughput");
    const throughput = await measureThroughput(cluster, folder, { rounds, seconds: 2 });
    console.error("bench: a network in between");
    const network = await measureFar();
    console.error("bench: a million pets in and out");
    const data = await measureData(cluster, folder, rounds);
    console.error(`bench: ${pets} pets`);
    const { rows, plans } = await measurePlans(url, pets);
    const all = [...throughput, ...data, ...rows];
    console.log(`${formatTable([...all, ...network])}\n\n${formatPlans(plans)}\n\n${formatFacts(facts)}`);
    if (rounds >= WHOLE.rounds && pets >= WHOLE.pets) {
      const minutes = (Date.now() - begin) / 60_000;
      await writePostgresPage({ rows: all, network, plans, facts, date: new Date(), minutes, disturbance });
      console.error("bench: bench/postgres.md is written");
    }
    return [];
  } finally {
    removeCluster(cluster);
  }
});
