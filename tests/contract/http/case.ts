/** One entry of the HTTP contract: what every petstore does, on every store and through every host. */

import type { PetstoreOptions } from "../../../mod.ts";
import type { Api, ApiAnswer } from "../../support/api.ts";

export interface HttpCase {
  /** A sentence, behind "the petstore". */
  name: string;
  options?: Partial<PetstoreOptions>;
  run(api: Api): Promise<void>;
}

/** An entry for a petstore with the default options. */
export function httpCase(name: string, run: HttpCase["run"]): HttpCase {
  return { name, run };
}

/** An entry for a petstore with these options. */
export function caseWith(options: Partial<PetstoreOptions>, name: string, run: HttpCase["run"]): HttpCase {
  return { name, options, run };
}

/** The target of a `Link` with this relation, or `undefined`. Relative to the origin, for `api.get("/" + target)`. */
export function linkTarget({ headers }: ApiAnswer, relation: string): string | undefined {
  return headers.get("link")?.match(new RegExp(`<([^>]*)>; rel="${relation}"`))?.[1];
}

/** Adds pets called 1, 2, 3, … of these statuses. */
export async function addPets(api: Api, statuses: readonly string[]): Promise<void> {
  for (const [i, status] of statuses.entries()) await api.post({ name: String(i + 1), categoryId: i, status });
}
