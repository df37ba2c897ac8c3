/** One entry of the HTTP contract, which holds on every store and every host. */

import type { PetstoreOptions } from "../../../mod.ts";
import type { Api, ApiResponse } from "./api.ts";

export interface HttpCase {
  /** The rest of a sentence that starts with "the petstore". */
  name: string;
  options?: Partial<PetstoreOptions>;
  /** What the case needs from its store. */
  needs?: readonly "createOnce"[];
  run(api: Api): Promise<void>;
}

export function httpCase(name: string, run: HttpCase["run"]): HttpCase {
  return { name, run };
}

export function caseWith(options: Partial<PetstoreOptions>, name: string, run: HttpCase["run"]): HttpCase {
  return { name, options, run };
}

/** The target of a `Link` with this relation. Relative to the origin, for `api.get("/" + target)`. */
export function linkTarget({ headers }: ApiResponse, relation: string): string | undefined {
  return headers.get("link")?.match(new RegExp(`<([^>]*)>; rel="${relation}"`))?.[1];
}

/** Adds pets with these statuses, named 1, 2, 3, … */
export async function addPets(api: Api, statuses: readonly string[]): Promise<void> {
  for (const [i, status] of statuses.entries()) await api.post({ name: String(i + 1), categoryId: i, status });
}
