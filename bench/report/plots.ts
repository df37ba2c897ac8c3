/** The plots. Each answers one question. */

import type { TopLevelSpec } from "vega-lite";
import { PEERS } from "../cases/default.ts";
import { FASTIFY, HANDWRITTEN, PETSTORE } from "../cases/reads.ts";
import type { Row } from "../row.ts";
import { COLOURS, frame, toSvg, WIDTH } from "./vega.ts";

/** A plot, by its file name in bench/. */
export interface Plot {
  file: string;
  /** What the plot shows, for readers who do not see it. */
  description: string;
  draw(rows: readonly Row[]): Promise<string>;
}

/** A bar of a plot: the row that it shows, and its names. */
interface Bar {
  group: string;
  contender: string;
  /** The case of the row. */
  name: string;
}

/** The texts of a plot with bars. */
interface Words {
  title: string;
  /** The line below the title, or several lines. */
  subtitle: string | string[];
}

/** The names of cases after their prefix, and what the plots call them. */
type Names = readonly (readonly [name: string, group: string])[];

const CASES: Names = [["get", "GET one"], ["list-20", "list of 20"], ["post", "POST"]];
const TRAFFIC: Names = [
  ["1000", "1,000 pets"],
  ["20000", "20,000 pets"],
  ["100000", "100,000 pets"],
  ["million", "a million pets"],
  ["zipf", "Zipf’s law"],
  ["pages", "pages of 20"],
];

/** The bars of some cases for each contender. */
function barsOf(prefix: string, cases: Names, contenders: readonly string[]): Bar[] {
  return cases.flatMap(([name, group]) =>
    contenders.map((contender) => ({ group, contender, name: `${prefix}-${name}` }))
  );
}

export const PLOTS = {
  traffic: barPlot(
    "traffic.svg",
    {
      title: "How many requests a second, if users ask for any pet?",
      subtitle: [
        "Thousands, on one core, a million pets in an SQLite file, all servers without a log",
        "Random pets of so many, pets of a million by Zipf’s law, and random pages of the million",
      ],
    },
    barsOf("reads", TRAFFIC, [PETSTORE, HANDWRITTEN, FASTIFY]),
  ),
  default: barPlot(
    "throughput.svg",
    {
      title: "How many requests a second does the server answer?",
      subtitle: [
        "Thousands, on one core, 100,000 pets in an SQLite file, every POST on disk before its response",
        "Petstore as it starts, with its access log; the others without a log, a transaction for each POST",
      ],
    },
    barsOf("default", CASES, ["Petstore", ...Object.keys(PEERS)]),
  ),
} satisfies Record<string, Plot>;

function barPlot(file: string, text: Words, bars: readonly Bar[]): Plot {
  function draw(rows: readonly Row[]) {
    const values = bars.map(({ group, contender, name }) => {
      const row = rows.find((row) => row.name === name && row.subject === contender && row.base === undefined);
      const { low, median, high } = row!.figure;
      return { group, contender, share: median / 1000, low: low / 1000, high: high / 1000 };
    });
    return toSvg(barSpec(text, values));
  }
  return { file, description: [text.title, text.subtitle].flat().join(". ").replace("?.", "?"), draw };
}

/** A bar with the median of the rounds, and a line from the lowest to the highest round. */
interface BarValue {
  group: string;
  contender: string;
  share: number;
  low: number;
  high: number;
}

function barSpec({ title, subtitle }: Words, values: BarValue[]): TopLevelSpec {
  const highest = Math.max(1, ...values.map(({ high }) => high));
  const contenders = [...new Set(values.map(({ contender }) => contender))];
  const position = {
    y: {
      field: "group",
      type: "nominal",
      sort: null,
      axis: { title: null, ticks: false, domain: false, labelPadding: 8 },
    },
    yOffset: { field: "contender", sort: null },
  } as const;
  const axis = { title: null, format: "d", tickCount: 6 };
  return {
    ...frame(title, subtitle),
    width: WIDTH,
    height: { step: 22 },
    data: { values },
    layer: [
      {
        mark: "bar",
        encoding: {
          ...position,
          x: { field: "share", type: "quantitative", scale: { domain: [0, highest * 1.05] }, axis },
          color: {
            field: "contender",
            scale: { domain: contenders, range: COLOURS.slice(0, contenders.length) },
            legend: { title: null, orient: "top", symbolType: "square", labelLimit: 0 },
          },
        },
      },
      {
        mark: { type: "rule", size: 1.5, color: "black" },
        encoding: { ...position, x: { field: "low", type: "quantitative" }, x2: { field: "high" } },
      },
      {
        mark: { type: "text", align: "left", dx: 6 },
        encoding: {
          ...position,
          x: { datum: 0 },
          text: { field: "share", format: ".2r" },
          color: { value: "black", condition: { test: `datum.contender === "${contenders[0]}"`, value: "white" } },
        },
      },
    ],
  };
}
