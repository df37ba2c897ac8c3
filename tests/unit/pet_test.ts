/** The messages for a pet that is not valid, and pets in other forms. The HTTP contract has which pets are valid. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNewPet } from "../../lib/pet.ts";

const NAME =
  "name must be a string of 1 to 255 characters, not only white space and without control characters or lone " +
  "surrogates, not ";
const CATEGORY = "categoryId must be an integer from -9223372036854775808 to 9223372036854775807, not ";
const STATUS = "status must be one of available, pending, sold, not ";

/** Bodies, and what is said of each. */
const FAULTS: [body: string, faults: string[]][] = [
  ["[]", ["the body must be a JSON object, not an array"]],
  ["null", ["the body must be a JSON object, not null"]],
  ['"Rex"', ['the body must be a JSON object, not "Rex"']],
  ["{}", ["name is required", "categoryId is required"]],
  ['{"status":"lost"}', ["name is required", "categoryId is required", `${STATUS}"lost"`]],
  ['{"name":"","categoryId":7.50,"status":null}', [`${NAME}""`, `${CATEGORY}7.50`, `${STATUS}null`]],
  ['{"name":{},"categoryId":"7","status":["sold"]}', [`${NAME}an object`, `${CATEGORY}"7"`, `${STATUS}an array`]],
  // JSON.parse rounds these numbers.
  ['{"name":"Rex 2.0","categoryId":7.0000000000000000001}', [`${CATEGORY}7.0000000000000000001`]],
  ['{"name":"Rex","categoryId":9223372036854775808}', [`${CATEGORY}9223372036854775808`]],
  ['{"name":"Rex","categoryId":1e400}', [`${CATEGORY}1e400`]],
];

test("parseNewPet() says all that is wrong with a body, and quotes it as the client wrote it", () => {
  for (const [body, faults] of FAULTS) assert.deepEqual(parseNewPet(body, "available"), faults);
});

test("parseNewPet() keeps its messages short and well-formed", () => {
  const long = "🐕".repeat(10_000);
  const body = JSON.stringify({ name: `x${long}`, categoryId: `y${long}`, status: `z\ud83d${long}` });
  for (const text of [body, `{"name":"Rex","categoryId":${"9".repeat(1000)}}`]) {
    for (const fault of parseNewPet(text, "available") as string[]) assert(fault.length < 300 && fault.isWellFormed());
  }
});
