/**
 * Assertions about what a server has sent. Those of `node:assert` compare line by line for their messages, which takes gigabytes for
 * a few megabytes of a hostile response.
 */

import strict from "node:assert/strict";
import { excerpt } from "../json.ts";

type Edit = (text: string) => string;
/** @param what The subject of the sentence that tells the difference. */
type Compare = (actual: unknown, expected: unknown, what: string) => void;

/** An assertion that failed. */
export class MismatchError extends Error {
  override name = "AssertionError";
  /** Makes the message. `edit` changes each text in it before that is shortened. */
  readonly describe: (edit: Edit) => string;

  constructor(describe: (edit: Edit) => string) {
    super(describe((text) => text));
    this.describe = describe;
  }
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
    throw new MismatchError((edit) => excerpt(edit(message), 600));
  },
  equal: compareBy(strict.equal),
  deepEqual: compareBy(strict.deepEqual),
  match(text, pattern, must) {
    if (pattern.test(text)) return;
    throw new MismatchError((edit) => `${excerpt(edit(must), 300)}, not ${excerpt(edit(asJson(text)), SHOWN)}`);
  },
};

function compareBy(compare: (actual: unknown, expected: unknown, message: Error) => void): Compare {
  return (actual, expected, what) => {
    try {
      compare(actual, expected, DIFFERENT);
    } catch {
      throw new MismatchError((edit) => {
        const [one, other] = [actual, expected].map((value) => edit(asJson(value)));
        const start = differenceIn(one!, other!);
        const show = (text: string) => excerpt(start === 0 ? text : `…${text.slice(start).toWellFormed()}`, SHOWN);
        return `${excerpt(edit(what), 200)}: ${show(one!)} should be ${show(other!)}`;
      });
    }
  };
}

/** The most characters of a value that a message has. */
const SHOWN = 400;

/** The place at which a message begins to show two texts, so that it has their first difference. */
function differenceIn(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  return same < SHOWN - 100 ? 0 : same - 40;
}

/** Formats a value as JSON. A bigint becomes an integer with all its digits. */
export function asJson(value: unknown): string {
  const text = JSON.stringify(value, (_, member) => typeof member === "bigint" ? `\0${member}` : member);
  return String(text).replaceAll(/"\\u0000(-?\d+)"/g, "$1");
}

/**
 * Parses JSON. The message of a failure has the whole text, because that of an engine has a part of it, in which no key
 * could be found and hidden.
 */
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

/** Throws unless a response has this status. */
export function assertStatus({ status }: { status: number }, expected: number, request = ""): void {
  assert.equal(status, expected, `The status${request && ` of the response to ${request}`}`);
}
