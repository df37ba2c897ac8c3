/**
 * Mutates the code of parts, or of single files of them, and shows which mutants the tests do not notice: `main.ts [PART | FILE]…`,
 * by default all parts. Exits with 1 if a part's score is too low, or if a mutant that is listed as equivalent is noticed or gone.
 * `main.ts slips [TEXT]…` makes slips of meaning instead, all or those with a text in their file or promise.
 */

import { LEVELS, type Part, PARTS } from "./parts.ts";
import { runSlips } from "./slips/run.ts";
import { type Mutant, runStryker } from "./stryker.ts";

const names = Deno.args.filter((arg) => arg !== "--");
if (names[0] === "slips") Deno.exit(await runSlips(names.slice(1)));
const chosen = (names.length > 0 ? names : Object.keys(PARTS)).map((name) =>
  [name, PARTS[name] ?? partOfFile(name)] as const
);
for (const [name, part] of chosen) {
  const problems = await measure(name, part);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) Deno.exitCode = 1;
}

function partOfFile(file: string): Part {
  const part = Object.values(PARTS).find(({ mutate }) => mutate.some((glob) => matches(glob, file)));
  if (!part) {
    console.error(`There is no part ${file}; the parts are ${Object.keys(PARTS).join(", ")}`);
    Deno.exit(2);
  }
  const sql = part.sql?.filter((change) => change.file === file) ?? [];
  return { ...part, mutate: [file], sql, floors: { published: part.floors.published && 0, all: 0 } };
}

function matches(glob: string, file: string): boolean {
  const [start, rest] = glob.replace(/:.*/, "").split("*");
  return rest === undefined ? start === file : file.startsWith(start!) && !file.slice(start!.length).includes("/");
}

/** Shows the scores of a part and what is not noticed, and returns what is wrong. */
async function measure(name: string, part: Part): Promise<string[]> {
  const levels = LEVELS.filter((level) => part.floors[level] !== undefined);
  const mutants = await runStryker(part);
  const { listed, problems } = findEquivalent(part, mutants);
  const counted = mutants.filter((mutant) => !listed.has(mutant));
  for (const { file, row, column, change, noticed } of counted) {
    if (noticed !== levels[0]) {
      console.log(`${noticed ? "not by the contract cases" : "not"}: ${file}:${row}:${column} ${change}`);
    }
  }
  for (const level of levels) {
    const noticed = counted.filter((mutant) => mutant.noticed === "published" || mutant.noticed === level).length;
    const score = 100 * noticed / counted.length;
    console.log(`${name}, ${level}: ${score.toFixed(1)} %, ${noticed} of ${counted.length} mutants`);
    if (score < part.floors[level]!) problems.push(`${name}, ${level}: the score must be ${part.floors[level]} %`);
  }
  console.log(`${name}: ${listed.size} equivalent mutants are not counted`);
  return problems;
}

function findEquivalent(part: Part, mutants: readonly Mutant[]): { listed: Set<Mutant>; problems: string[] } {
  const listed = new Set<Mutant>();
  const problems: string[] = [];
  for (const [file, entries] of Object.entries(part.equivalent)) {
    if (!part.mutate.some((glob) => matches(glob, file))) continue;
    for (const { changes, line = "", reason } of entries) {
      const found = mutants.filter((mutant) =>
        mutant.file === file && changes.includes(mutant.change) && mutant.line.includes(line)
      );
      for (const mutant of found) listed.add(mutant);
      for (const change of changes.filter((change) => found.every((mutant) => mutant.change !== change))) {
        problems.push(`${file} has no mutant ${change}, which is listed as equivalent`);
      }
      for (const { change } of found.filter(({ noticed }) => noticed)) {
        problems.push(`A test notices ${file} ${change}, but: ${reason}`);
      }
    }
  }
  return { listed, problems };
}
