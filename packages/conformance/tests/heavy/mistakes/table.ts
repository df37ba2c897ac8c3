/** All mistakes, by what they are about. The table in packages/conformance/README.md has these rows. */

import { ADDED_MISTAKES } from "./additions.ts";
import { BODY_MISTAKES } from "./bodies.ts";
import { ID_MISTAKES } from "./ids.ts";
import { KEY_MISTAKES } from "./keys.ts";
import { LIST_MISTAKES } from "./lists.ts";
import { PET_MISTAKES } from "./pets.ts";
import type { Mistake } from "./planting.ts";
import { RESPONSE_MISTAKES } from "./responses.ts";

export interface MistakeGroup {
  /** What the mistakes are about. */
  about: string;
  /** Whether the specification alone forbids them, so that a petstore written from it alone can have them. */
  isSpecified: boolean;
  mistakes: Readonly<Record<string, Mistake>>;
}

export const MISTAKE_GROUPS: readonly MistakeGroup[] = [
  { about: "keys: which are accepted, and the errors", isSpecified: true, mistakes: KEY_MISTAKES },
  { about: "bodies that are no NewPet", isSpecified: true, mistakes: BODY_MISTAKES },
  { about: "names, categories and statuses of pets", isSpecified: true, mistakes: PET_MISTAKES },
  { about: "ids in paths", isSpecified: true, mistakes: ID_MISTAKES },
  { about: "lists, their limits and statuses", isSpecified: true, mistakes: LIST_MISTAKES },
  { about: "statuses, media types and errors", isSpecified: true, mistakes: RESPONSE_MISTAKES },
  { about: "what this project adds", isSpecified: false, mistakes: ADDED_MISTAKES },
];
