/** The table on the terminal, and its cells, which the page shares. */

import { formatTable as formatValues } from "../../tools/command_line.ts";
import { comparison, type Row } from "../row.ts";
import type { Facts } from "./machine.ts";

/** The names of the columns of {@link cells}. */
export const COLUMNS = ["case", "what", "figure", "rounds", "by processor time", "notes"];

export function cells(row: Row): string[] {
  const { title, figure, unit, byProcessorTime, notes } = row;
  const unitText = unit === "/s" ? " a second" : ` ${unit}`;
  const isSingle = figure.low === figure.high;
  return [
    title,
    comparison(row),
    digits(figure.median) + unitText,
    isSingle ? "" : `${digits(figure.low)} to ${digits(figure.high)}`,
    byProcessorTime ? digits(byProcessorTime.median) : "",
    notes.join("; "),
  ];
}

export function formatTable(rows: readonly Row[]): string {
  return formatColumns([COLUMNS, ...rows.map(cells)]);
}

/** Cells in columns, as text. */
export function formatColumns(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join(
    "\n",
  );
}

export function formatFacts(facts: Facts): string {
  return formatValues(Object.fromEntries(facts));
}

/** A number with three significant digits. */
export function digits(value: number): string {
  const size = Math.abs(value);
  return size >= 100 ? Math.round(value).toLocaleString("en") : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}
