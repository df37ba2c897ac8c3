/** Removes spaces and tabs around a field value (RFC 9110 §5.6.3). `trim()` would remove more than these. */
export function trimField(value: string): string {
  let start = 0, end = value.length;
  // Outside the text, charCodeAt() is NaN.
  while (isWhiteSpace(value.charCodeAt(start))) start++;
  while (isWhiteSpace(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isWhiteSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}
