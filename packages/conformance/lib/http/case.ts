/** One entry of the HTTP contract, which holds on every store and every host. */

import type { Api } from "./api.ts";

/**
 * Who makes a promise: the specification (docs/specification.md), or this project in full, which
 * settles what the specification leaves open.
 */
export type Level = "specification" | "full";

/** The part of the contract to which a case belongs. */
export interface Topic {
  /** The part of the interface, such as `pets.list`. */
  area: string;
  /** Who promises it. */
  level: Level;
  /** The sentence that the case holds the petstore to. */
  promise: string;
}

export interface HttpCase extends Topic {
  /** The rest of a sentence that starts with "the petstore". */
  name: string;
  /** Runs the case. It may find pets in the catalogue, and may leave some. */
  run(api: Api): Promise<void>;
}

type Runs = Record<string, HttpCase["run"]>;

/**
 * Makes the cases of what the specification says.
 *
 * @param promise With its section.
 * @param runs The functions, by the names of the cases.
 */
export function says(area: string, promise: string, runs: Runs): HttpCase[] {
  return cases({ area, level: "specification", promise }, runs);
}

/** Makes the cases of what this project promises beyond the specification. */
export function addition(area: string, promise: string, runs: Runs): HttpCase[] {
  return cases({ area, level: "full", promise }, runs);
}

function cases(topic: Topic, runs: Runs): HttpCase[] {
  return Object.entries(runs).map(([name, run]) => ({ ...topic, name, run }));
}
