/** Formats arrays in PostgreSQL's notation, because the two drivers format them differently. */

export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}

export function numberArray(numbers: readonly (number | bigint)[]): string {
  return `{${numbers.join(",")}}`;
}
