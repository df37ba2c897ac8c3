/** The results of the program, as text and as JSON. */

import type { Topic } from "../http/case.ts";

/** The result of one case. */
export interface Result extends Topic {
  name: string;
  outcome: "pass" | "fail" | "skip";
  /** Why it failed or was skipped. */
  reason?: string | undefined;
  /** The request and the response that made it fail. */
  exchange?: string;
}

/** The pets that the cases have left behind. */
export interface Pets {
  /** Their ids, in the order in which they were added. */
  ids: Set<bigint>;
  /** The number of creates that got no response, or one without an id. */
  unknown: number;
}

/** Describes a result in a line. What did not pass has the promise, the reason and the messages below it. */
export function describeResult({ outcome, level, area, name, reason, promise, exchange = "" }: Result): string {
  const line = `${outcome === "fail" ? "FAIL" : outcome}  ${level.padEnd(13)}  ${area.padEnd(23)}  ${name}`;
  if (outcome === "pass") return line;
  const more = [`promise: ${promise}`, ...`reason:  ${reason}`.split("\n"), ...exchange.split("\n")];
  return [line, ...more.map((text) => `      ${text}`.trimEnd())].join("\n").trimEnd();
}

/** Counts the results of each level in a line. */
export function summarize(results: readonly Result[]): string {
  const lines = Array.from(Map.groupBy(results, ({ level }) => level), ([level, all]) => {
    const count = (outcome: string) => all.filter((result) => result.outcome === outcome).length;
    return `${level}: ${count("pass")} passed, ${count("fail")} failed, ${count("skip")} skipped`;
  });
  return lines.join("\n");
}

export function describePets({ ids, unknown }: Pets): string {
  const all = [...ids];
  const known = ids.size === 0 ? "none" : `${ids.size}, with ids from ${all[0]} to ${all.at(-1)}`;
  return `pets left behind: ${known}${unknown === 0 ? "" : `; and up to ${unknown} whose ids are unknown`}`;
}
