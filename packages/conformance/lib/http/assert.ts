/**
 * Assertions about what a server has sent. Those of `node:assert` compare line by line for their messages, which takes gigabytes for
 * a few megabytes of a hostile response.
 */

interface Assertions {
  ok(value: unknown, message: string): asserts value;
  /** Compares two values by their JSON. @param what The subject of the sentence that tells the difference. */
  equal(actual: unknown, expected: unknown, what: string): void;
  /** @param must The sentence that tells what the text must be. */
  match(text: string, pattern: RegExp, must: string): void;
}

export const assert: Assertions = {
  ok(value, message) {
    // The message is not shortened here: a part of a key could not be found and hidden.
    if (!value) throw new Error(message);
  },
  equal(actual, expected, what) {
    const [seen, wanted] = [asJson(actual), asJson(expected)];
    assert.ok(seen === wanted, `${what} should be ${wanted}, not ${seen}`);
  },
  match(text, pattern, must) {
    assert.ok(pattern.test(text), `${must}, not ${asJson(text)}`);
  },
};

/** Formats a value as JSON. A bigint becomes an integer with all its digits. */
function asJson(value: unknown): string {
  const text = JSON.stringify(value, (_, member) => typeof member === "bigint" ? `\0${member}` : member);
  return String(text).replaceAll(/"\\u0000(-?\d+)"/g, "$1");
}

/** Throws unless a response has this status. */
export function assertStatus({ status }: { status: number }, expected: number, request: string): void {
  assert.equal(status, expected, `The status of the response to ${request}`);
}
