/** Field values as HTTP writes them. */

/** A value without the white space around it: spaces and tabs (RFC 9110 §5.6.3), where `trim()` takes far more. */
export function trimField(value: string): string {
  let start = 0, end = value.length;
  while (start < end && isWhiteSpace(value.charCodeAt(start))) start++;
  while (end > start && isWhiteSpace(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isWhiteSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}
