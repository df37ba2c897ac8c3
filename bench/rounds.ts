/** Interleaved rounds: A B C, A B C, …, so that what else happens on the machine happens to all of them. */

import { type Load, runWrk } from "./load/wrk.ts";
import type { ServerMeasurement, ServerProcess } from "./load/server_process.ts";
import { type Floor, ratioOf, type Row, spreadOf } from "./row.ts";

/** Somebody who is measured: a server, and what it is asked. */
export interface Contender {
  server: ServerProcess;
  load: Load;
  /** What else goes on meanwhile: further load on the same server, whose figures nobody reads. */
  background?: Load;
}

/** How long a benchmark takes. */
export interface Effort {
  /** Rounds that count, after the one that does not. */
  rounds: number;
  /** Seconds of load for a contender in a round. */
  seconds: number;
}

/** All measurements of one contender, in the order of the rounds. */
export type Series = readonly ServerMeasurement[];

/** Measures all contenders in every round. The first round warms up and is thrown away. */
export async function measureRounds<Name extends string>(
  contenders: Record<Name, Contender>,
  { rounds, seconds }: Effort,
): Promise<Record<Name, Series>> {
  const names = Object.keys(contenders) as Name[];
  const series = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, ServerMeasurement[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const measured = await measureOnce(contenders[name], seconds);
      if (round > 0) series[name].push(measured);
    }
  }
  return series;
}

/** By how many milliseconds further load begins before what is measured; it ends after it. */
const HEAD_START = 400;

async function measureOnce({ server, load, background }: Contender, seconds: number): Promise<ServerMeasurement> {
  if (background === undefined) return await server.measure(load, seconds);
  const [measured] = await Promise.all([
    new Promise((resolve) => setTimeout(resolve, HEAD_START)).then(() => server.measure(load, seconds)),
    runWrk(server.port, background, seconds + 1),
  ]);
  return measured;
}

/** How many times as fast as `base` `subject` is, by the clock and by the server's processor time. */
function rateRatio(subject: Series, base: Series): Pick<Row, "figure" | "byProcessorTime" | "notes"> {
  return {
    figure: ratioOf(subject.map(({ rate }) => rate), base.map(({ rate }) => rate)),
    byProcessorTime: ratioOf(subject.map(({ efficiency }) => efficiency), base.map(({ efficiency }) => efficiency)),
    notes: coreNotes(subject, base),
  };
}

/** Below this share of its core, a server was slowed down by something else than itself: by wrk, a disk or other work. */
const BUSY = 0.9;

/** What the two cores say about measurements that are compared. */
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

/** The same load for all. */
export function withLoad<Name extends string>(
  servers: Record<Name, ServerProcess>,
  load: Load,
): Record<Name, Contender> {
  const entries = Object.entries<ServerProcess>(servers).map(([name, server]) => [name, { server, load }]);
  return Object.fromEntries(entries) as Record<Name, Contender>;
}

/** The row that says how many times as fast as `base` `subject` is. */
export function rateRow(
  parts: Pick<Row, "name" | "title" | "subject" | "base"> & { floor?: Floor },
  subject: Series,
  base: Series,
): Row {
  return { ...parts, unit: "×", ...rateRatio(subject, base) };
}
