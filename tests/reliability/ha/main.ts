import { formatTable, parseFlags, readCount, runTool, UsageError } from "../../support/command_line.ts";
import { newSeed } from "../../support/random.ts";
import { countKinds } from "../shared/finding.ts";
import { whyNoHaCluster } from "./cluster.ts";
import { FAULT_KINDS, type FaultKind } from "./faults.ts";
import type { HaFigures } from "./round.ts";
import { runHaRounds } from "./run.ts";

const HELP = `deno task reliability ha [options]

Three PostgreSQL nodes under Patroni with etcd, each in a network of its own, and four standalone servers. Clients create with
keys and repeat until they are acknowledged; others read and follow the ids. In each round the primary is killed, paused, cut
off, or cut from the cluster alone. Another node takes over, the old one comes back, and all is audited. Exit status 1 if
anything is wrong. Needs root, and the packages patroni, etcd-server, haproxy and postgresql.

  --rounds N          how often, 20 unless given; the kinds of faults take turns
  --via NAME          how servers find the primary: haproxy, unless given, or hosts, with the addresses of all nodes
  --replication NAME  synchronous, unless given; or asynchronous, which loses pets: they are counted, and are no finding
  --fault NAME        only this kind: ${FAULT_KINDS.join(", ")}
  --clients N         how many create, 12 unless given
  --ttl N             Patroni's ttl in seconds, 20 unless given
  --retry N           Patroni's retry_timeout in seconds, 8 unless given
  --etcd NAME         Patroni's protocol: v2, unless given, or v3, with which releases before 3.0.3 lose pets after a pause
  --seed N            repeats the pets of a run
  --help              this text
`;

await runTool("ha", async (folder) => {
  const options = readOptions(Deno.args);
  const reason = whyNoHaCluster();
  if (reason) throw new UsageError(reason);
  console.log(`ha: seed ${options.seed}`);
  const begin = performance.now();
  const { rounds, findings } = await runHaRounds({
    ...options,
    servers: 4,
    enough: 100,
    folder,
    onRound: (number, figures, wrong) => {
      console.log(`ha: round ${number} of ${options.kinds.length}: ${describe(figures)}; ${wrong.length} wrong`);
      for (const { kind, detail } of wrong.slice(0, 3)) console.log(`ha:   ${kind}: ${detail}`);
    },
  });
  const { via, replication, clients, ttl, retry, etcd } = options;
  const sum = (read: (figures: HaFigures) => number) => rounds.reduce((total, figures) => total + read(figures), 0);
  console.log(formatTable({
    rounds: `${rounds.length} in ${seconds(performance.now() - begin)}`,
    with: `${clients} clients via ${via}, ${replication} replication, ttl ${ttl}, retry_timeout ${retry}, etcd ${etcd}`,
    "creates acknowledged": sum(({ acknowledged }) => acknowledged),
    "creates sent more than once": sum(({ repeated }) => repeated),
    "acknowledged and lost": sum(({ losses }) => losses.lost.length),
    "made again with another id, when repeated": sum(({ losses }) => losses.moved),
    "acknowledged ids of other pets": sum(({ losses }) => losses.givenAgain),
    ...gaps(rounds),
    ...countKinds(findings, [
      "lost",
      "missed",
      "stale",
      "doubled",
      "half-stored",
      "unordered",
      "response",
      "replay",
      "list",
    ]),
  }));
  return replication === "synchronous" ? findings : [];
});

function describe({ kind, acknowledged, gap, takeover, whole, repeated, responses, idle, losses }: HaFigures): string {
  return [
    `${kind}: ${seconds(gap)} without creates, another primary after ${seconds(takeover)}, whole after ${
      seconds(whole)
    }`,
    `${acknowledged} acknowledged (${responses}; ${repeated} creates repeated)`,
    `idle server: ${idle}`,
    `${losses.lost.length} lost, ${losses.moved} of them made again, ${losses.givenAgain} ids given again`,
  ].join("; ");
}

/** The least, the median and the greatest time without creates, by kind of fault. */
function gaps(rounds: readonly HaFigures[]): Record<string, string> {
  return Object.fromEntries(FAULT_KINDS.flatMap((kind) => {
    const sorted = rounds.filter((figures) => figures.kind === kind).map(({ gap }) => gap).sort((a, b) => a - b);
    if (sorted.length === 0) return [];
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    const all = [sorted[0] ?? 0, median, sorted.at(-1) ?? 0].map(seconds).join(" / ");
    return [[`without creates, ${kind}`, `${all} (min / median / max of ${sorted.length})`]];
  }));
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function readOptions(args: readonly string[]) {
  const text = { type: "string" } as const;
  const names = ["rounds", "via", "replication", "fault", "clients", "ttl", "retry", "etcd", "seed"] as const;
  const values = parseFlags(
    args,
    HELP,
    Object.fromEntries(names.map((name) => [name, text])) as Record<
      typeof names[number],
      typeof text
    >,
  );
  const rounds = readCount("rounds", values.rounds, 20);
  const kinds = values.fault === undefined ? FAULT_KINDS : [choose("fault", values.fault, FAULT_KINDS)];
  return {
    kinds: Array.from({ length: rounds }, (_, i) => kinds[i % kinds.length] as FaultKind),
    via: choose("via", values.via, ["haproxy", "hosts"] as const),
    replication: choose("replication", values.replication, ["synchronous", "asynchronous"] as const),
    clients: readCount("clients", values.clients, 12),
    ttl: readCount("ttl", values.ttl, 20, 5),
    retry: readCount("retry", values.retry, 8, 2),
    etcd: choose("etcd", values.etcd, ["v2", "v3"] as const),
    seed: readCount("seed", values.seed, newSeed(), 0),
  };
}

/** The first unless given. */
function choose<T extends string>(flag: string, given: string | undefined, allowed: readonly T[]): T {
  const found = given === undefined ? allowed[0] : allowed.find((name) => name === given);
  if (found === undefined) throw new UsageError(`--${flag} must be one of ${allowed.join(", ")}, not "${given}"`);
  return found;
}
