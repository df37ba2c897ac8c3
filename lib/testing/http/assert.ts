/**
 * Assertions about what a server has sent. Those of `node:assert` compare line by line for their messages, which takes gigabytes for
 * a few megabytes of a hostile response.
 */

import strict from "node:assert/strict";
import { excerpt } from "../../json.ts";

type Edit = (text: string) => string;
type Compare = (actual: unknown, expected: unknown, what?: string) => void;

/** An assertion that failed. */
export class MismatchError extends Error {
  override name = "AssertionError";
  /** The message, in which `edit` has changed each text before it is shortened. */
  readonly describe: (edit: Edit) => string;

  constructor(describe: (edit: Edit) => string) {
    super(describe((text) => text));
    this.describe = describe;
  }
}

/** node:assert makes a message of its own, also in addition to a text, unless it gets an error. */
const DIFFERENT = new Error("different");

interface Assertions {
  ok(value: unknown, message?: string): asserts value;
  equal: Compare;
  deepEqual: Compare;
  match(text: string, pattern: RegExp, what?: string): void;
}

/** The assertions of the cases, like those of `node:assert/strict`. */
export const assert: Assertions = {
  ok(value, message = "It must be true") {
    if (!value) throw new MismatchError((edit) => excerpt(edit(message), 600));
  },
  equal: compareBy((actual, expected) => strict.equal(actual, expected, DIFFERENT), "should be"),
  deepEqual: compareBy((actual, expected) => strict.deepEqual(actual, expected, DIFFERENT), "should be"),
  match: compareBy((text, pattern) => {
    if (!(pattern as RegExp).test(text as string)) throw DIFFERENT;
  }, "does not match"),
};

function compareBy(compare: Compare, verb: string): Compare {
  return (actual, expected, what) => {
    try {
      compare(actual, expected);
    } catch {
      throw new MismatchError((edit) => {
        const begin = what ? `${excerpt(edit(what), 200)}: ` : "";
        return `${begin}${show(actual, edit)} ${verb} ${show(expected, edit)}`;
      });
    }
  };
}

function show(value: unknown, edit: Edit): string {
  if (value instanceof RegExp) return String(value);
  const text = JSON.stringify(value, (_, member) => typeof member === "bigint" ? String(member) : member);
  return excerpt(edit(text ?? String(value)), 400);
}

/** Reads JSON. The message of a failure has the whole text: an engine's has a part of it, in which no key could be found and hidden. */
export function parseJson(
  text: string,
  revive?: (name: string, value: unknown, context?: { source: string }) => unknown,
): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    throw new MismatchError((edit) => `The body must be JSON, not ${excerpt(edit(text), 400)}`);
  }
}
