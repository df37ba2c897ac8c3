/** Petstores with one planted mistake each: a case refutes every one of them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { newPetstore, runCases } from "../../../../tests/support/conformance.ts";
import { createOther } from "../../../../tests/support/other_petstore.ts";
import { ADDED_MISTAKES } from "./mistakes/additions.ts";
import { KEY_MISTAKES } from "./mistakes/keys.ts";
import { BODY_MISTAKES, ID_MISTAKES, LIST_MISTAKES, PET_MISTAKES } from "./mistakes/pets.ts";
import { RESPONSE_MISTAKES } from "./mistakes/responses.ts";

const SPECIFIED = {
  ...KEY_MISTAKES,
  ...BODY_MISTAKES,
  ...PET_MISTAKES,
  ...ID_MISTAKES,
  ...LIST_MISTAKES,
  ...RESPONSE_MISTAKES,
};

/** At the level of the specification, the petstore is written from it alone, and does not have what this project adds. */
const LEVELS = [
  { level: "specification", create: createOther, mistakes: SPECIFIED },
  { level: "full", create: newPetstore, mistakes: { ...SPECIFIED, ...ADDED_MISTAKES } },
] as const;

for (const { level, create, mistakes } of LEVELS) {
  test(`the cases of the level ${level} refute each of the planted mistakes`, async () => {
    const passed: string[] = [];
    for (const [name, plant] of Object.entries(mistakes)) {
      const { failed } = await runCases({ fetch: plant(create()) }, level, true);
      if (failed.length === 0) passed.push(name);
    }
    assert.deepEqual(passed, []);
  });
}
