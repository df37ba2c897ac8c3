/** Interleaved rounds: A B C, A B C, …, so that other work on the machine affects all contenders equally. */

import type { ServerMeasurement, ServerProcess } from "./load/server_process.ts";
import type { Load } from "./load/wrk.ts";
import { ratioOf, type Row, spreadOf } from "./row.ts";

/** The duration of a benchmark. */
export interface Effort {
  /** Measured rounds, not counting the one that warms up. */
  rounds: number;
  /** Seconds of load for a contender in a round. */
  seconds: number;
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
  const entries = Object.entries(measurements) as [Name, (isWarmUp: boolean) => Promise<T>][];
  const series = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as Record<Name, T[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const [name, measure] of entries) {
      const measured = await measure(round === 0);
      if (round > 0) series[name].push(measured);
    }
  }
  return series;
}

/** Gives servers the same load in rounds. */
export function measureRounds<Name extends string>(
  servers: Record<Name, ServerProcess>,
  load: Load,
  { rounds, seconds }: Effort,
  warmUp: number = WARM_UP,
): Promise<Record<Name, Series>> {
  const measurements = Object.entries<ServerProcess>(servers).map(([name, server]) =>
    [name, (isWarmUp: boolean) => server.measure(load, isWarmUp ? warmUp : seconds)] as const
  );
  return inRounds(Object.fromEntries(measurements), rounds) as Promise<Record<Name, Series>>;
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
  };
}

/** A row with requests a second. */
export function rateOnly(parts: Pick<Row, "name" | "title" | "subject">, series: Series): Row {
  return { ...parts, unit: "/s", figure: spreadOf(series.map(({ rate }) => rate)) };
}
