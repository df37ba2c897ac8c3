/** The plot of latencies by percentile, as of HdrHistogram. */

import { COLOURS, frame, toSvg, WIDTH } from "./vega.ts";

/** What the plot shows of a server. */
export interface LatencyCurve {
  server: string;
  /** Milliseconds within which each of {@link SHARES} of the responses came. */
  latencies: readonly number[];
}

const MARKS = [2, 10, 100, 1000, 10_000];

/** The times on the axis, in milliseconds. */
const TIMES = [0.01, 0.1, 1, 10, 100, 1000, 10_000, 100_000];

/** One response in so many is later. */
const LATER = Array.from({ length: 61 }, (_, i) => 2 * 5000 ** (i / 60));

/** The shares of the responses, in percent. */
export const SHARES: readonly number[] = LATER.map((later) => 100 - 100 / later);

export function drawLatency(subtitle: string[], curves: readonly LatencyCurve[]): Promise<string> {
  const values = curves.flatMap(({ server, latencies }) =>
    latencies.map((latency, i) => ({ server, later: LATER[i], latency }))
  );
  const servers = curves.map(({ server }) => server);
  return toSvg({
    ...frame("How long do users wait for a response?", subtitle),
    width: WIDTH,
    height: 280,
    data: { values },
    mark: { type: "line", strokeWidth: 2.5 },
    encoding: {
      x: {
        field: "later",
        type: "quantitative",
        scale: { type: "log", domain: [2, 10_000], nice: false },
        axis: {
          title: "of the responses come within this time",
          values: MARKS,
          labelExpr: "format(100 - 100 / datum.value, '.4~r') + ' %'",
        },
      },
      y: {
        field: "latency",
        type: "quantitative",
        scale: { type: "log", nice: true },
        axis: { title: null, labelExpr: "format(datum.value, ',~r') + ' ms'", values: TIMES },
      },
      color: {
        field: "server",
        scale: { domain: servers, range: COLOURS.slice(0, servers.length) },
        legend: { title: null, orient: "top", symbolType: "stroke", labelLimit: 0 },
      },
    },
  });
}
