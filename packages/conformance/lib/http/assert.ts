/**
 * Assertions about what a server has sent. Those of `node:assert` compare line by line for their
 * messages, which takes gigabytes for a few megabytes of a hostile response.
 */

export function ok(value: unknown, message: string): asserts value {
  // The message is not shortened here: a part of a key could not be found and hidden.
  if (!value) throw new Error(message);
}

/**
 * Compares two values by their JSON.
 *
 * @param what The subject of the sentence that tells the difference.
 * @param where The end of the sentence. It may be long: a report cuts off the end of a long reason.
 */
export function equal(actual: unknown, expected: unknown, what: string, where = ""): void {
  const [seen, wanted] = [asJson(actual), asJson(expected)];
  ok(seen === wanted, `${what} should be ${wanted}, not ${seen}${where}`);
}

/** @param must The sentence that tells what the text must be. */
export function match(text: string, pattern: RegExp, must: string): void {
  ok(pattern.test(text), `${must}, not ${asJson(text)}`);
}

/** Formats a value as JSON. A bigint becomes an integer with all its digits. */
function asJson(value: unknown): string {
  const text = JSON.stringify(value, (_, member) => typeof member === "bigint" ? `\0${member}` : member);
  return String(text).replaceAll(/"\\u0000(-?\d+)"/g, "$1");
}
