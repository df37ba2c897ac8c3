import { formatTable, parseFlags, readCount, runTool, UsageError } from "../../support/command_line.ts";
import { newSeed } from "../../support/random.ts";
import { countKinds } from "../shared/finding.ts";
import { whyNoHaCluster } from "./cluster.ts";
import { FAULT_KINDS } from "./faults.ts";
import { runHaRounds } from "./run.ts";

const HELP = `deno task reliability ha [options]

Three PostgreSQL nodes under Patroni with etcd, each in a network of its own, and four standalone servers. Clients create with
keys and repeat until they are acknowledged; others read and follow the ids. In each round the primary is killed, paused, cut
off, or cut from the cluster alone. Another node takes over, the old one comes back, and all is audited. Exit status 1 if
anything is wrong. Needs root, and the packages patroni, etcd-server, haproxy and postgresql.

  --rounds N          how often, 20 unless given; the kinds of faults take turns
  --via NAME          how servers find the primary: haproxy, unless given, or hosts, with the addresses of all nodes
  --seed N            repeats the pets of a run
  --help              this text
`;

/** Patroni's defaults in docs/scaling.md. */
const SETTINGS = { ttl: 20, retry: 8, servers: 4, clients: 12, enough: 100 };

await runTool("ha", async (folder) => {
  const text = { type: "string" } as const;
  const values = parseFlags(Deno.args, HELP, { rounds: text, via: text, seed: text });
  const count = readCount("rounds", values.rounds, 20), seed = readCount("seed", values.seed, newSeed(), 0);
  const { via = "haproxy" } = values;
  if (via !== "haproxy" && via !== "hosts") throw new UsageError(`--via must be haproxy or hosts, not "${via}"`);
  const reason = whyNoHaCluster();
  if (reason) throw new UsageError(reason);
  console.log(`ha: seed ${seed}`);
  const kinds = Array.from({ length: count }, (_, i) => FAULT_KINDS[i % FAULT_KINDS.length]!);
  const { rounds, findings } = await runHaRounds({
    ...{ ...SETTINGS, kinds, via, seed, folder },
    onRound: (number, { kind, acknowledged, gap, repeated, idle }, wrong) =>
      console.log(
        `ha: round ${number} of ${count}: ${kind}: ${(gap / 1000).toFixed(1)} s without creates; ` +
          `${acknowledged} acknowledged, ${repeated} repeated; idle server: ${idle}; ${wrong.length} wrong`,
      ),
  });
  console.log(formatTable({
    rounds: rounds.length,
    "creates acknowledged": rounds.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    ...countKinds(findings, [...new Set(findings.map(({ kind }) => kind))]),
  }));
  return findings;
});
