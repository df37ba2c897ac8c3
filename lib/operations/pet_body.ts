/** The body of an operation that takes a pet: how it is read and described, and its failures. */

import { createTextReader } from "../http/body.ts";
import {
  bodyTimedOut,
  bodyTooLarge,
  HAS_CONTENT_CODING,
  notJson,
  OVERLOADED,
  UNKNOWN_TRANSFER_CODING,
} from "../http/body_problems.ts";
import type { RequestContext } from "../http/context.ts";
import { Problem } from "../http/problem.ts";
import { excerpt } from "../excerpt.ts";
import type { JsonObject } from "./json_types.ts";
import { parseNewPet, type PetStatus } from "../pet.ts";
import type { PetDraft } from "../stores/store.ts";
import type { OperationSettings } from "./definition.ts";
import { type FailureGroup, group, MAY_BE_STORED, STORE_UNAVAILABLE } from "./failure_groups.ts";
import { NEW_PET_EXAMPLE } from "./schemas.ts";

/** Reads the pet in the body of a request. It rejects with a {@link Problem} if the body is no valid pet. */
export type PetReader = (context: RequestContext) => Promise<PetDraft>;

export function createPetReader({ defaultStatus, maxBodyBytes, bodyTimeoutMs }: OperationSettings): PetReader {
  const readText = createTextReader(maxBodyBytes, bodyTimeoutMs);
  return async (context) => parsePet(await readText(context), defaultStatus);
}

function parsePet(text: string, defaultStatus: PetStatus): PetDraft {
  let petOrFaults;
  try {
    petOrFaults = parseNewPet(text, defaultStatus);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidJson(text === "" ? "it is empty" : excerpt(error.message, 120));
  }
  if (Array.isArray(petOrFaults)) throw invalidPet(petOrFaults);
  return petOrFaults;
}

/** @param cause The parser's message. */
function invalidJson(cause: string): Problem {
  return new Problem(400, "invalid_json", `The request body is not valid JSON: ${cause}`);
}

function invalidPet(faults: readonly string[]): Problem {
  return new Problem(400, "invalid_pet", `The pet is not valid: ${faults.join("; ")}`);
}

export function describePetBody({ maxBodyBytes, bodyTimeoutMs }: OperationSettings): JsonObject {
  return {
    required: true,
    description: `At most ${maxBodyBytes} bytes, which must arrive within ${bodyTimeoutMs / 1000} seconds.`,
    content: { "application/json": { schema: { $ref: "#/components/schemas/NewPet" }, example: NEW_PET_EXAMPLE } },
  };
}

/** The failures of an operation that takes a pet, with those of the store that gets it. */
export function petBodyFailures({ defaultStatus, maxBodyBytes, bodyTimeoutMs }: OperationSettings): FailureGroup[] {
  const faults = parseNewPet("{}", defaultStatus) as string[];
  return [
    group("body missing required fields or containing invalid values", [
      invalidJson("it is empty"),
      invalidPet(faults),
    ]),
    group("the body did not arrive in time", [bodyTimedOut(bodyTimeoutMs)]),
    group("the body is too large", [bodyTooLarge(maxBodyBytes)]),
    group("the body is not JSON, or it has a content coding", [notJson("text/plain"), HAS_CONTENT_CODING]),
    group("the body has an unknown transfer coding", [UNKNOWN_TRANSFER_CODING]),
    group("the store is unavailable, or too many large bodies arrive at once", [
      STORE_UNAVAILABLE,
      MAY_BE_STORED,
      OVERLOADED,
    ]),
  ];
}
