/** Checks of options that several functions have. */

/**
 * Refuses options that there are not: a misspelt one would have no effect. A key with a misspelt expiry, for example, would never
 * expire.
 *
 * @param what What has the options, as the start of a sentence.
 */
export function refuseUnknown(unknown: object, what: string): void {
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new TypeError(`${what} has no option ${JSON.stringify(name)}`);
}

/**
 * Refuses a time limit that is no delay of a timer, which is an int32.
 *
 * @param what What has it, such as `a KV store`.
 */
export function requireTimeout(timeoutMs: number, what: string): void {
  if (timeoutMs > 0 && timeoutMs < 2 ** 31) return;
  const type = typeof timeoutMs === "number" ? RangeError : TypeError;
  throw new type(`The timeoutMs of ${what} must be above 0 and below 2^31, not ${timeoutMs}`);
}
