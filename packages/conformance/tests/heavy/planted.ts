/** Runs the cases against petstores with one planted mistake each, and prints how many they refute, and which of them pass. */

import { createOther } from "../../../../tests/support/other_petstore.ts";
import { newPetstore, runCases } from "../../../../tests/support/conformance.ts";
import { ADDED_MISTAKES } from "./mistakes/additions.ts";
import { KEY_MISTAKES } from "./mistakes/keys.ts";
import { BODY_MISTAKES, ID_MISTAKES, LIST_MISTAKES, PET_MISTAKES } from "./mistakes/pets.ts";
import type { Mistakes } from "./mistakes/planting.ts";
import { RESPONSE_MISTAKES } from "./mistakes/responses.ts";

/** The rows of the table in README.md. */
const SPECIFIED: Record<string, Mistakes> = {
  "keys: which are accepted, and the errors": KEY_MISTAKES,
  "bodies that are no NewPet": BODY_MISTAKES,
  "names, categories and statuses of pets": PET_MISTAKES,
  "ids in paths": ID_MISTAKES,
  "lists, their limits and statuses": LIST_MISTAKES,
  "statuses, media types and errors": RESPONSE_MISTAKES,
};

/** At the level of the specification, the petstore is written from it alone, and does not have what this project adds. */
const LEVELS = {
  specification: { create: createOther, groups: SPECIFIED },
  full: { create: newPetstore, groups: { ...SPECIFIED, "what this project adds": ADDED_MISTAKES } },
};

export interface PlantedScore {
  /** How many of each group are refuted, as README.md shows it. */
  cells: Record<string, string>;
  /** The mistakes that no case refutes. */
  passed: string[];
}

export async function scorePlanted(level: keyof typeof LEVELS): Promise<PlantedScore> {
  const score: PlantedScore = { cells: {}, passed: [] };
  for (const [group, mistakes] of Object.entries(LEVELS[level].groups)) {
    const planted = Object.entries(mistakes);
    let refuted = 0;
    for (const [name, plant] of planted) {
      const { failed } = await runCases({ fetch: plant(LEVELS[level].create()) }, level, true);
      if (failed.length > 0) refuted++;
      else score.passed.push(name);
    }
    score.cells[group] = `${refuted} of ${planted.length}`;
  }
  return score;
}

/** The rows of the table in README.md, from the cells of both levels. */
export function rowsOf(specification: PlantedScore, full: PlantedScore): string[][] {
  return Object.entries(full.cells).map(([group, cell]) => [group, specification.cells[group] ?? "", cell]);
}

if (import.meta.main) {
  const [specification, full] = [await scorePlanted("specification"), await scorePlanted("full")];
  for (const row of rowsOf(specification, full)) console.log(`| ${row.join(" | ")} |`);
  for (const name of [...specification.passed, ...full.passed]) console.log(`    passes: ${name}`);
}
