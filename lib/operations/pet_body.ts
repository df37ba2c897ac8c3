/** A new pet in the body of a request. */

import { bodyTimedOut, bodyTooLarge, createTextReader, ENCODED, NOT_JSON } from "../http/body.ts";
import { OVERLOADED } from "../http/body_stream.ts";
import type { RequestContext } from "../http/context.ts";
import { Problem } from "../http/problem.ts";
import { excerpt } from "../json.ts";
import type { JsonObject } from "../json_types.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { parseNewPet, type PetStatus } from "../pet.ts";
import type { PetDraft } from "../stores/store.ts";
import type { OperationSettings } from "./definition.ts";
import { STORE_UNAVAILABLE } from "./errors.ts";
import { type FailureGroup, group } from "./failure_groups.ts";
import { REX } from "./schemas.ts";

/** Reads the pet, and resolves to the result of `use`. Rejects with a {@link Problem} if the body is no valid pet. */
export type PetReader = <T>(context: RequestContext, use: (pet: PetDraft) => MaybePromise<T>) => Promise<T>;

export function createPetReader({ maxBodyBytes, bodyTimeoutMs, defaultStatus }: OperationSettings): PetReader {
  const readText = createTextReader(maxBodyBytes, bodyTimeoutMs);
  return (context, use) => readText(context, (text) => use(parsePet(text, defaultStatus)));
}

function parsePet(text: string, defaultStatus: PetStatus): PetDraft {
  let pet;
  try {
    pet = parseNewPet(text, defaultStatus);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidJson(text === "" ? "it is empty" : excerpt(error.message, 120));
  }
  if (Array.isArray(pet)) throw invalidPet(pet);
  return pet;
}

/** @param cause The parser's message. */
function invalidJson(cause: string): Problem {
  return new Problem(400, "invalid_json", `The request body is not valid JSON: ${cause}`);
}

function invalidPet(faults: readonly string[]): Problem {
  return new Problem(400, "invalid_pet", `The pet is not valid: ${faults.join("; ")}`);
}

/** The `requestBody` of an operation that reads a pet. */
export function describePetBody({ maxBodyBytes, bodyTimeoutMs }: OperationSettings): JsonObject {
  return {
    required: true,
    description: `At most ${maxBodyBytes} bytes, which must arrive within ${bodyTimeoutMs} ms.`,
    content: { "application/json": { schema: { $ref: "#/components/schemas/NewPet" }, example: REX } },
  };
}

/**
 * The failures of an operation that reads a pet.
 *
 * @param schema The name of the schema of a 400. Operations with different codes need different names.
 * @param also When the status is 400 for another reason, as a clause, and the failures of it.
 */
export function petBodyFailures(
  { maxBodyBytes, bodyTimeoutMs }: OperationSettings,
  schema: string,
  also?: { reason: string; errors: readonly Problem[] },
): FailureGroup[] {
  const faults = parseNewPet("{}", "available");
  const reason = `the body lacks required fields or has invalid values${also ? `, or ${also.reason}` : ""}`;
  return [
    group(schema, reason, [
      ...also?.errors ?? [],
      invalidJson("it is empty"),
      invalidPet(Array.isArray(faults) ? faults : []),
    ]),
    group("RequestTimeoutError", "the body did not arrive in time", [bodyTimedOut(bodyTimeoutMs)]),
    group("BodyTooLargeError", "the body is too large", [bodyTooLarge(maxBodyBytes)]),
    group("UnsupportedMediaTypeError", "the body is not JSON, or it has a content coding", [NOT_JSON, ENCODED]),
    group("UnavailableError", "the store is unavailable, or too many large bodies are under way", [
      STORE_UNAVAILABLE,
      OVERLOADED,
    ]),
  ];
}
