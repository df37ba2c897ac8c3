/** `trim()` would remove more than RFC 9110 §5.6.3 allows. */
export function trimField(value: string): string {
  let start = 0, end = value.length;
  // Outside the text, `charCodeAt()` is NaN, which ends the loop.
  while (isWhiteSpace(value.charCodeAt(start))) start++;
  while (isWhiteSpace(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isWhiteSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}
