/** The table on the terminal, and its cells, which the page shares. */

import { formatTable as formatValues } from "../../tools/command_line.ts";
import { comparison, type Row } from "../row.ts";
import type { Facts } from "./machine.ts";

/** The names of the columns of {@link cells}. */
const COLUMNS = ["case", "what", "figure", "rounds", "by processor time", "notes"];

function cells(row: Row): string[] {
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

/** The head and the lines of a table, without the columns that are empty in every line. */
export function filledColumns(rows: readonly Row[]): [head: string[], ...lines: string[][]] {
  const lines = rows.map(cells);
  const isFilled = COLUMNS.map((_, column) => lines.some((line) => line[column] !== ""));
  const select = (line: readonly string[]) => line.filter((_, column) => isFilled[column]);
  return [select(COLUMNS), ...lines.map(select)];
}

export function formatTable(rows: readonly Row[]): string {
  return formatColumns(filledColumns(rows));
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

/** A number with two significant digits, because the rounds differ by more than the third. A number below ten has two decimals. */
export function digits(value: number): string {
  return Math.abs(value) >= 10 ? Number(value.toPrecision(2)).toLocaleString("en") : value.toFixed(2);
}
