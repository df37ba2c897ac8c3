/** Rounds on one cluster, with servers under load and one without. */

import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../shared/finding.ts";
import { Journal } from "../shared/journal.ts";
import { Random } from "../../support/random.ts";
import { ServerProcess } from "../../support/server/server_process.ts";
import { type ClusterSettings, HaCluster } from "./cluster.ts";
import type { FaultKind } from "./faults.ts";
import { type HaFigures, runHaRound, serverParts, untilWhole } from "./round.ts";

export interface HaOptions extends ClusterSettings {
  /** The fault of each round. */
  kinds: readonly FaultKind[];
  /** How many servers are under load. */
  servers: number;
  clients: number;
  /** See {@link HaStage.enough}. */
  enough: number;
  seed: number;
  /** For everything; removed by the caller. */
  folder: string;
  onRound?(number: number, figures: HaFigures, findings: readonly Finding[]): void;
}

export async function runHaRounds(options: HaOptions): Promise<{ rounds: HaFigures[]; findings: Finding[] }> {
  const { kinds, clients, enough, seed, folder, onRound } = options;
  const random = new Random(seed);
  // The nodes run as another user.
  chmodSync(folder, 0o755);
  using cluster = new HaCluster(folder, options);
  await untilWhole(cluster);
  const inner = join(folder, "servers");
  mkdirSync(inner);
  await using servers = new AsyncDisposableStack();
  const start = async () => servers.use(await ServerProcess.start(inner, serverParts(cluster.url)));
  const idle = await start();
  const loaded = await Promise.all(Array.from({ length: options.servers }, start));
  const rounds: HaFigures[] = [];
  const findings: Finding[] = [];
  const journal = new Journal();
  for (const [i, kind] of kinds.entries()) {
    const known = journal.findings.length;
    const stage = { cluster, servers: loaded, idle, journal, random: random.fork(), kind, clients, enough };
    rounds.push(await runHaRound({ ...stage, tag: `r${i + 1}` }));
    const found = journal.findings.slice(known);
    findings.push(...found);
    onRound?.(i + 1, rounds.at(-1) as HaFigures, found);
  }
  return { rounds, findings };
}
