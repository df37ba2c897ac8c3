/** Parses the JSON of responses, in which `JSON.parse()` would round an int64. */

import { assert } from "./assert.ts";

/** Parses JSON, and reads its int64 members as bigint. The message of a failure has the whole text, while that of an engine has a part. */
export function parseExact(text: string): unknown {
  try {
    return JSON.parse(text, (name: string, value: unknown, context?: { source: string }) => {
      if (typeof value !== "number" || (name !== "id" && name !== "categoryId")) return value;
      return parseInt64(context?.source ?? String(value)) ?? value;
    });
  } catch {
    assert.ok(false, `The body must be JSON, not ${text}`);
  }
}

/** The value of a JSON number such as `7` or `7.0`; `undefined` if it is not whole or not an int64. */
function parseInt64(source: string): bigint | undefined {
  const [, digits] = /^(-?\d+)(?:\.0+)?$/.exec(source) ?? [];
  if (digits === undefined) return undefined;
  const value = BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
