/**
 * Assertions about what a server has sent. Those of `node:assert` compare line by line for their messages, which takes gigabytes for
 * a few megabytes of a hostile response.
 */

import strict from "node:assert/strict";

/** @param what The subject of the sentence that tells the difference. */
type Compare = (actual: unknown, expected: unknown, what: string) => void;

/** An assertion that failed. Its message is not shortened: a part of a key could not be found and hidden. */
class MismatchError extends Error {
  override name = "AssertionError";
}

/** `node:assert` adds a message of its own to a text. An error keeps it from doing so. */
const DIFFERENT = new Error("different");

interface Assertions {
  ok(value: unknown, message: string): asserts value;
  fail(message: string): never;
  equal: Compare;
  deepEqual: Compare;
  /** @param must The sentence that tells what the text must be. */
  match(text: string, pattern: RegExp, must: string): void;
}

/** The assertions of the cases, like those of `node:assert/strict`. */
export const assert: Assertions = {
  ok(value, message) {
    if (!value) assert.fail(message);
  },
  fail(message) {
    throw new MismatchError(message);
  },
  equal: compareBy(strict.equal),
  deepEqual: compareBy(strict.deepEqual),
  match(text, pattern, must) {
    assert.ok(pattern.test(text), `${must}, not ${asJson(text)}`);
  },
};

function compareBy(compare: (actual: unknown, expected: unknown, message: Error) => void): Compare {
  return (actual, expected, what) => {
    try {
      compare(actual, expected, DIFFERENT);
    } catch {
      const [seen, wanted] = [asJson(actual), asJson(expected)];
      let same = 0;
      while (same < seen.length && seen[same] === wanted[same]) same++;
      // A long text is shown from shortly before the first difference.
      const show = (text: string) => same < 300 ? text : `…${text.slice(same - 40).toWellFormed()}`;
      assert.fail(`${what} should be ${show(wanted)}, not ${show(seen)}`);
    }
  };
}

/** Formats a value as JSON. A bigint becomes an integer with all its digits. */
export function asJson(value: unknown): string {
  const text = JSON.stringify(value, (_, member) => typeof member === "bigint" ? `\0${member}` : member);
  return String(text).replaceAll(/"\\u0000(-?\d+)"/g, "$1");
}

/** Parses JSON. The message of a failure has the whole text, while that of an engine has a part of it. */
export function parseJson(
  text: string,
  revive?: (name: string, value: unknown, context?: { source: string }) => unknown,
): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return assert.fail(`The body must be JSON, not ${text}`);
  }
}

/** Throws unless a response has this status. */
export function assertStatus({ status }: { status: number }, expected: number, request = ""): void {
  assert.equal(status, expected, `The status${request && ` of the response to ${request}`}`);
}
