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
  /** The case, the subject and the base of the row. */
  row: readonly [name: string, subject: string, base: string | undefined];
}

/** The texts of a plot with bars. */
interface Words {
  title: string;
  /** The line below the title, or several lines. */
  subtitle: string | string[];
  /** The name of the line at 1, if bars are ratios; others are thousands a second. */
  limit?: string;
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
function barsOf(prefix: string, cases: Names, contenders: readonly string[], base?: string): Bar[] {
  return cases.flatMap(([name, group]) =>
    contenders.map((subject) => ({
      group,
      contender: subject === "library" ? "Petstore" : subject,
      row: [`${prefix}-${name}`, subject, base] as const,
    }))
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
  node: barPlot(
    "node.svg",
    {
      title: "How fast is createNodeListener()?",
      subtitle: "Requests per second on Node, in memory, relative to a bare node:http server",
      limit: "bare node:http",
    },
    barsOf("node", CASES, ["library", "Fastify"], "bare node:http"),
  ),
} satisfies Record<string, Plot>;

function barPlot(file: string, text: Words, bars: readonly Bar[]): Plot {
  function draw(rows: readonly Row[]) {
    const values = bars.map(({ group, contender, row: [name, subject, base] }) => {
      const row = rows.find((row) => row.name === name && row.subject === subject && row.base === base);
      const unit = text.limit === undefined ? 1000 : 1;
      const { low, median, high } = row!.figure;
      return { group, contender, share: median / unit, low: low / unit, high: high / unit };
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

function barSpec({ title, subtitle, limit }: Words, values: BarValue[]): TopLevelSpec {
  const isRatio = limit !== undefined;
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
  const axis = { title: null, format: isRatio ? ".1f" : "d", tickCount: 6 };
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
          text: { field: "share", format: isRatio ? ".2f" : ".2r" },
          color: { value: "black", condition: { test: `datum.contender === "${contenders[0]}"`, value: "white" } },
        },
      },
      ...isRatio ? lineAtOne(limit) : [],
    ],
  };
}

function lineAtOne(name: string) {
  const data = { values: [{}] };
  return [
    { data, mark: { type: "rule", size: 2 }, encoding: { x: { datum: 1 } } },
    {
      data,
      mark: { type: "text", baseline: "bottom", dy: -4 },
      encoding: { x: { datum: 1 }, y: { value: 0 }, text: { value: name } },
    },
  ] as const;
}
