/** One round: clients create, the primary fails, another one takes over, the old one comes back, and all is audited. */

import { auditEnd } from "../shared/audit.ts";
import { createAgain } from "../shared/creating.ts";
import { Follower } from "../shared/follower.ts";
import type { Journal } from "../shared/journal.ts";
import type { Random } from "../../support/random.ts";
import type { ServerParts, ServerProcess } from "../../support/server/server_process.ts";
import { KEY } from "../shared/requests.ts";
import type { HaCluster } from "./cluster.ts";
import { type FaultKind, inflict, mend } from "./faults.ts";
import { Load } from "./load.ts";

export interface HaFigures {
  kind: FaultKind;
  acknowledged: number;
  /** The longest time without an acknowledged create from the fault on, in milliseconds. */
  gap: number;
  /** Creates that were sent more than once. */
  repeated: number;
  /** Responses of the server that had no requests during the fault, when the old primary came back. */
  idle: string;
}

export interface HaStage {
  cluster: HaCluster;
  servers: readonly ServerProcess[];
  /** A server without load. */
  idle: ServerProcess;
  journal: Journal;
  random: Random;
  kind: FaultKind;
  clients: number;
  /** So many acknowledgements before the fault, between the failover and the return of the old primary, and after it. */
  enough: number;
  tag: string;
}

/** Longer than any failover, in milliseconds. */
const GUARD = 180_000;

/** How long before and after the return of the old primary the idle server is asked, in milliseconds. */
const AHEAD = 200, ASKING = 4000;

/** Acknowledged creates that are sent again in a round. */
const FORGETFUL = 32;

export function serverParts(url: string): ServerParts {
  return { args: ["--log=off"], env: { PETSTORE_KEYS: KEY, PETSTORE_STORE: url } };
}

export async function runHaRound(stage: HaStage): Promise<HaFigures> {
  const { cluster, servers, idle, journal, random, kind, enough } = stage;
  const ports = servers.map(({ port }) => port);
  await untilWhole(cluster);
  const before = journal.acknowledged;
  const follower = new Follower(() => ports);
  const load = new Load({ ...stage, ports });
  await untilMore(load, enough);
  await untilSo("a response of the idle server", async () => await load.readLast(idle.port) === "shown");
  const primary = await cluster.primary();
  if (!primary) throw new Error("There is no primary");
  await pause(random.below(200));
  const fault = performance.now();
  inflict(kind, primary);
  await untilSo("another primary", async () => await cluster.primary(primary) !== undefined);
  await untilMore(load, enough);
  // A first request is on its way when the old primary comes back.
  const asked = askIdle(load, idle.port);
  await pause(AHEAD);
  mend(kind, primary, cluster);
  const idleResponses = await asked;
  await untilWhole(cluster);
  await untilMore(load, enough);
  await load.finish();
  const again = Array.from({ length: FORGETFUL }, () => random.pick(load.creates));
  await createAgain({ ports, journal, random, clients: 4, onFailure: () => false }, again);
  await auditEnd(ports, journal, random);
  await follower.finish(journal);
  const acknowledged = journal.acknowledged - before;
  const gap = longestGap(load.acknowledgements, fault);
  return { kind, acknowledged, gap, repeated: load.repeated, idle: idleResponses };
}

function longestGap(times: readonly number[], since: number): number {
  let last = since, longest = 0;
  for (const time of times) {
    if (time < since) continue;
    longest = Math.max(longest, time - last);
    last = time;
  }
  return longest;
}

/** While the old primary learns that it is none. */
async function askIdle(load: Load, port: number): Promise<string> {
  const responses = { shown: 0, stale: 0, refused: 0 };
  for (const begin = performance.now(); performance.now() - begin < ASKING;) responses[await load.readLast(port)]++;
  return Object.entries(responses).map(([what, count]) => `${count} ${what}`).join(", ");
}

async function untilMore({ acknowledgements }: Load, count: number): Promise<void> {
  const wanted = acknowledgements.length + count;
  await untilSo(`${count} acknowledgements`, () => acknowledgements.length >= wanted);
}

/** Waits until all nodes work. */
export async function untilWhole(cluster: HaCluster): Promise<void> {
  try {
    await untilSo("a whole cluster", () => cluster.isWhole());
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}: ${await cluster.describe()}`);
  }
}

async function untilSo(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const guard = AbortSignal.timeout(GUARD); !await isSo(); await pause(20)) {
    if (guard.aborted) throw new Error(`This never came: ${what}`);
  }
}

function pause(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time));
}
