/** Draws with Vega-Lite, in one style. */

import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";

/** The palette of Okabe and Ito, for all kinds of colour vision. */
export const COLOURS = ["#0072b2", "#e69f00", "#56b4e9", "#999999"];

/** The width of the area with the marks, in pixels. */
export const WIDTH = 560;

/** What all plots share. The white ground makes them readable in dark themes, too. */
export function frame(text: string, subtitle: string | string[]) {
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "white",
    // Wide, because the width of a text is estimated, and the reader's font may be wider.
    padding: { left: 24, right: 32, top: 16, bottom: 16 },
    title: {
      text,
      subtitle,
      anchor: "start",
      frame: "bounds",
      offset: 12,
      subtitlePadding: 4,
      fontSize: 16,
      subtitleFontSize: 12,
    },
    config: {
      font: "system-ui, sans-serif",
      axis: { labelFontSize: 13, titleFontSize: 13, titleFontWeight: "normal", labelLimit: 0, gridColor: "#e5e7eb" },
      legend: { labelFontSize: 13 },
      text: { fontSize: 12 },
      view: { stroke: null },
    },
  } as const;
}

export async function toSvg(spec: TopLevelSpec): Promise<string> {
  const view = new View(parse(compile(spec).spec), { renderer: "none" });
  return await view.toSVG() + "\n";
}
