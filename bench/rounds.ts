/** Interleaved rounds: A B C, A B C, …, so that other work on the machine affects all contenders equally. */

import { type Load, runWrk } from "./load/wrk.ts";
import type { ServerMeasurement, ServerProcess } from "./load/server_process.ts";
import { ratioOf, type Row, spreadOf } from "./row.ts";

export interface Contender {
  server: ServerProcess;
  load: Load;
  /** Further load on the server meanwhile; its figures are ignored. */
  background?: Load;
}

/** The duration of a benchmark. */
export interface Effort {
  /** Measured rounds, not counting the one that warms up. */
  rounds: number;
  /** Seconds of load for a contender in a round. */
  seconds: number;
  /** Seconds of load in the round that warms up. */
  warmUp?: number;
}

/** The least seconds of load in the round that warms up: the engines compile what they run. */
const WARM_UP = 1.5;

/** All measurements of a contender, one for each round. */
export type Series = readonly ServerMeasurement[];

/** Takes every measurement once in each round. The first round warms up and is discarded. */
export async function inRounds<Name extends string, T>(
  measurements: Record<Name, (isWarmUp: boolean) => Promise<T>>,
  rounds: number,
): Promise<Record<Name, T[]>> {
  const names = Object.keys(measurements) as Name[];
  const series = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, T[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const measured = await measurements[name](round === 0);
      if (round > 0) series[name].push(measured);
    }
  }
  return series;
}

/** Measures the contenders in rounds. */
export function measureRounds<Name extends string>(
  contenders: Record<Name, Contender>,
  { rounds, seconds, warmUp = WARM_UP }: Effort,
): Promise<Record<Name, Series>> {
  const measure = (contender: Contender) => (isWarmUp: boolean) =>
    measureOnce(contender, isWarmUp ? Math.max(warmUp, seconds) : seconds);
  return inRounds(mapValues(contenders, measure), rounds);
}

/** The head start of background load, in milliseconds. It also ends later than the measured load. */
const HEAD_START = 400;

async function measureOnce({ server, load, background }: Contender, seconds: number): Promise<ServerMeasurement> {
  if (background === undefined) return await server.measure(load, seconds);
  const [measured] = await Promise.all([
    new Promise((resolve) => setTimeout(resolve, HEAD_START)).then(() => server.measure(load, seconds)),
    runWrk(server.port, background, seconds + 1),
  ]);
  return measured;
}

/** The least share of its core that a server uses. Below it, wrk, a disk or other work slowed the server down. */
const BUSY = 0.9;

/** A note if one of the servers was not busy. */
function coreNotes(...compared: Series[]): string[] {
  const shares = compared.map((series) => ({
    server: spreadOf(series.map(({ serverShare }) => serverShare)).median,
    load: spreadOf(series.map(({ loadShare }) => loadShare)).median,
  }));
  return shares.filter(({ server }) => server < BUSY).slice(0, 1).map(({ server, load }) =>
    `a server's core was only ${percent(server)} busy, wrk's ${percent(load)}`
  );
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Gives all servers the same load. */
export function withLoad<Name extends string>(
  servers: Record<Name, ServerProcess>,
  load: Load,
): Record<Name, Contender> {
  return mapValues(servers, (server) => ({ server, load }));
}

function mapValues<Name extends string, From, To>(record: Record<Name, From>, map: (value: From) => To) {
  const entries = Object.entries<From>(record).map(([name, value]) => [name, map(value)]);
  return Object.fromEntries(entries) as Record<Name, To>;
}

/** A row with the speed of `subject` divided by that of `base`, by the clock and by the server's processor time. */
export function rateRow(
  parts: Pick<Row, "name" | "title" | "subject" | "base">,
  subject: Series,
  base: Series,
): Row {
  return {
    ...parts,
    unit: "×",
    figure: ratioOf(subject.map(({ rate }) => rate), base.map(({ rate }) => rate)),
    byProcessorTime: ratioOf(subject.map(({ efficiency }) => efficiency), base.map(({ efficiency }) => efficiency)),
    notes: coreNotes(subject, base),
  };
}

/** A row with requests a second. */
export function rateOnly(parts: Pick<Row, "name" | "title" | "subject">, series: Series): Row {
  return { ...parts, unit: "/s", figure: spreadOf(series.map(({ rate }) => rate)), notes: [] };
}
