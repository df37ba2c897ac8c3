/** Runs the cases against petstores with one planted mistake each, and prints how many they refute, and which of them pass. */

import { createOther } from "../../../../tests/support/other_petstore.ts";
import { newPetstore, runCases } from "../../../../tests/support/conformance.ts";
import { MISTAKE_GROUPS } from "./mistakes/table.ts";

/** At the level of the specification, the petstore is written from it alone, and does not have what this project adds. */
const LEVELS = {
  specification: { create: createOther, hasAdditions: false },
  full: { create: newPetstore, hasAdditions: true },
};

export type PlantedLevel = keyof typeof LEVELS;

export interface PlantedScore {
  /** How many of each group are refuted, as README.md shows it. A group that does not apply has "". */
  cells: string[];
  /** The mistakes that no case refutes. */
  passed: string[];
}

export async function scorePlanted(level: PlantedLevel): Promise<PlantedScore> {
  const { create, hasAdditions } = LEVELS[level];
  const score: PlantedScore = { cells: [], passed: [] };
  for (const { mistakes, isSpecified } of MISTAKE_GROUPS) {
    const planted = isSpecified || hasAdditions ? Object.entries(mistakes) : [];
    let refuted = 0;
    for (const [name, plant] of planted) {
      const { failed } = await runCases({ fetch: plant(create()) }, level, true);
      if (failed.length > 0) refuted++;
      else score.passed.push(name);
    }
    score.cells.push(planted.length === 0 ? "" : `${refuted} of ${planted.length}`);
  }
  return score;
}

/** The rows of the table in README.md, from the cells of both levels. */
export function rowsOf(specification: readonly string[], full: readonly string[]): string[][] {
  return MISTAKE_GROUPS.map(({ about }, i) => [about, specification[i]!, full[i]!]);
}

if (import.meta.main) {
  const [specification, full] = [await scorePlanted("specification"), await scorePlanted("full")];
  for (const row of rowsOf(specification.cells, full.cells)) console.log(`| ${row.join(" | ")} |`);
  for (const name of [...specification.passed, ...full.passed]) console.log(`    passes: ${name}`);
}
