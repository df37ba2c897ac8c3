/** The results of the program, as text and as JSON. */

/** The result of one case. */
export interface Result {
  area: string;
  level: string;
  promise: string;
  name: string;
  outcome: "pass" | "fail" | "skip";
  seconds: number;
  /** Whether no server can be tested so by its address alone. */
  isImpossible?: boolean;
  /** Why it failed or was skipped. */
  reason?: string | undefined;
  /** The request and the response that made it fail. */
  exchange?: string;
}

/** The pets that the cases have left behind. */
export interface Pets {
  ids: Set<bigint>;
  /** The number of creates that got no response, or one without an id. */
  unknown: number;
}

/** Describes a result in a line. A failure has the promise, the reason and the messages below it. */
export function describeResult({ outcome, level, area, name, reason, promise, exchange = "" }: Result): string {
  const line = `${outcome === "fail" ? "FAIL" : outcome}  ${level.padEnd(13)}  ${area.padEnd(23)}  ${name}`;
  if (outcome === "pass") return line;
  const more = [`promise: ${promise}`, ...`reason:  ${reason}`.split("\n"), ...exchange.split("\n")];
  return [line, ...more.map((text) => `      ${text}`.trimEnd())].join("\n");
}

function count(results: readonly Result[], outcome: Result["outcome"]): number {
  return results.filter((result) => result.outcome === outcome).length;
}

/** Describes the end of a run, in the lines after those of the cases. */
export function describeEnd({ seed, results, pets }: Report): string[] {
  return [...summarize(results), ...describeSkips(results), `seed: ${seed}`, describePets(pets)];
}

/** Counts the results of each level in a line. */
function summarize(results: readonly Result[]): string[] {
  const levels = [...new Set(results.map(({ level }) => level))];
  return levels.map((level) => {
    const all = results.filter((result) => result.level === level);
    const counts = `${count(all, "pass")} passed, ${count(all, "fail")} failed, ${count(all, "skip")} skipped`;
    return `${level === "full" ? "additions" : level}: ${counts}`;
  });
}

/**
 * Describes in at most one line what was skipped. Cases by which no server can be tested have their reasons in the JSON
 * alone.
 */
function describeSkips(results: readonly Result[]): string[] {
  const skipped = results.filter(({ outcome }) => outcome === "skip");
  const impossible = skipped.filter(({ isImpossible }) => isImpossible).length;
  const reasons = Map.groupBy(skipped.filter(({ isImpossible }) => !isImpossible), ({ reason }) => reason);
  const parts = Array.from(reasons, ([reason, { length }]) => `${length} because ${reason}`);
  if (impossible > 0) parts.unshift(`${impossible} need more than an address and a key`);
  return parts.length === 0 ? [] : [`skipped: ${parts.join("; ")}`];
}

/** Describes which pets are left, with ranges such as 4-7. */
export function describePets({ ids, unknown }: Pets): string {
  const ranges: { first: bigint; last: bigint }[] = [];
  for (const id of sorted(ids)) {
    const range = ranges.at(-1);
    if (range?.last === id - 1n) range.last = id;
    else ranges.push({ first: id, last: id });
  }
  const texts = ranges.map(({ first, last }) => first === last ? String(first) : `${first}-${last}`);
  const more = unknown === 0 ? "" : `; and up to ${unknown} whose ids were not told`;
  return `pets left behind: ${texts.join(", ") || "none"}${more}`;
}

function sorted(ids: Iterable<bigint>): bigint[] {
  return [...ids].sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
}

export interface Report {
  url: string;
  level: string;
  seed: number;
  results: Result[];
  pets: Pets;
}

export function asJson({ url, level, seed, results, pets }: Report): string {
  const counts = { passed: count(results, "pass"), failed: count(results, "fail"), skipped: count(results, "skip") };
  // The ids are texts, because many readers round an int64.
  const petIds = sorted(pets.ids).map(String);
  return JSON.stringify({ url, level, seed, ...counts, cases: results, petIds, unknownPets: pets.unknown });
}
