/** Writes arrays in PostgreSQL's notation, because all parameters are texts. */

export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}

export function numberArray(numbers: readonly (number | bigint)[]): string {
  return `{${numbers.join(",")}}`;
}
