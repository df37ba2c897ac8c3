/** Tables of Markdown whose columns are aligned, for the terminal and for the page. */

export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...lines.map((line) => line[column]?.length ?? 0)));
  const rule = widths.map((width) => "-".repeat(width));
  return [head, rule, ...lines]
    .map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`).join("\n");
}

/**
 * A number with two significant digits, because the rounds differ by more than the third. A number
 * below ten has two decimals.
 */
export function digits(value: number): string {
  return Math.abs(value) >= 10 ? Number(value.toPrecision(2)).toLocaleString("en") : value.toFixed(2);
}
