/** The messages for a pet that is not valid, and pets in other forms. The HTTP contract has which pets are valid. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNewPet } from "../../lib/pet.ts";

/** Bodies, and what is said of each. */
const FAULTS: [body: string, faults: RegExp[]][] = [
  ["[]", [/^the body must be a JSON object, not an array$/]],
  ['{"status":"lost"}', [
    /^name is required$/,
    /^categoryId is required$/,
    /^status must .* available, pending, sold, not "lost"$/,
  ]],
  // JSON.parse rounds the number.
  ['{"name":{},"categoryId":7.0000000000000000001}', [/^name must .*, not an object$/, /, not 7.0000000000000000001$/]],
  ['{"name":"Rex","categoryId":9223372036854775808}', [
    /^categoryId must .* to 9223372036854775807, not 9223372036854775808$/,
  ]],
];

test("parseNewPet() says all that is wrong with a body, and quotes it as the client wrote it", () => {
  for (const [body, faults] of FAULTS) {
    const said = parseNewPet(body, "available") as string[];
    assert.equal(said.length, faults.length);
    faults.forEach((fault, i) => assert.match(said[i]!, fault));
  }
});

test("parseNewPet() keeps its messages short and well-formed", () => {
  const long = "🐕".repeat(10_000);
  const body = JSON.stringify({ name: `x${long}`, categoryId: `y${long}`, status: `z\ud83d${long}` });
  for (const text of [body, `{"name":"Rex","categoryId":${"9".repeat(1000)}}`]) {
    for (const fault of parseNewPet(text, "available") as string[]) assert(fault.length < 300 && fault.isWellFormed());
  }
});
