/** Runs the cases against petstores with one planted mistake each, and prints which of them pass. */

import { createOther } from "../../../../tests/support/other_petstore.ts";
import { newPetstore, runCases } from "../../../../tests/support/conformance.ts";
import { ADDED_MISTAKES } from "./added_mistakes.ts";
import { MISTAKES } from "./mistakes.ts";
import { NARROW_MISTAKES } from "./narrow_mistakes.ts";

/** At the level of the specification, a petstore that is written from it alone; with all cases, the project's own. */
const BASES = { specification: createOther, full: newPetstore };

const PLANTED = {
  specification: { ...MISTAKES, ...NARROW_MISTAKES },
  full: { ...MISTAKES, ...NARROW_MISTAKES, ...ADDED_MISTAKES },
};

export interface PlantedScore {
  level: keyof typeof BASES;
  planted: number;
  /** The mistakes that no case refutes. */
  passed: string[];
}

export async function scorePlanted(level: keyof typeof BASES): Promise<PlantedScore> {
  const all = Object.entries(PLANTED[level]);
  const passed: string[] = [];
  for (const [name, plant] of all) {
    const { failed } = await runCases({ fetch: plant(BASES[level]()) }, level, true);
    if (failed.length === 0) passed.push(name);
  }
  return { level, planted: all.length, passed };
}

if (import.meta.main) {
  for (const level of Object.keys(BASES) as (keyof typeof BASES)[]) {
    const { planted, passed } = await scorePlanted(level);
    console.log(`${level}: ${planted - passed.length} of ${planted} mistakes are refuted`);
    for (const name of passed) console.log(`    passes: ${name}`);
  }
}
