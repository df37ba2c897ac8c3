/** The schemas of the description (JSON Schema 2020-12, as in OpenAPI 3.1). */

import { ERROR_STATUS } from "../error_codes.ts";
import { MAX_NAME_LENGTH, PET_STATUSES, type PetStatus } from "../pet.ts";
import { LIMIT } from "../operations/errors.ts";
import type { JsonObject } from "./json_types.ts";
import { errorSchema } from "./responses.ts";

// No control characters, and at least one character that is not white space. Not all regex engines support look-ahead.
const PLAIN = "\\x00-\\x1F\\x7F-\\x9F";
const NAME_PATTERN = `^[^${PLAIN}]*[^\\s${PLAIN}][^${PLAIN}]*$`;

/** The schemas by name, except those of failures. */
export function createSchemas(defaultStatus: PetStatus): Record<string, JsonObject> {
  const name: JsonObject = {
    type: "string",
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    pattern: NAME_PATTERN,
    description: "The animal's name. Stored and returned exactly as sent. Lone surrogates are not allowed.",
    examples: ["Rex"],
  };
  // Without `minimum` and `maximum`, because a JavaScript number cannot represent 2^63 − 1.
  const categoryId: JsonObject = {
    type: "integer",
    format: "int64",
    description: "Identifier of the category the animal belongs to: any int64, from −2^63 to 2^63 − 1, kept exactly. " +
      "Read it with a JSON parser that does not round large integers.",
    examples: [7],
  };
  const status: JsonObject = { $ref: "#/components/schemas/PetStatus" };
  return {
    PetStatus: { type: "string", enum: [...PET_STATUSES], description: "Availability of an animal." },
    NewPet: {
      type: "object",
      required: ["name", "categoryId"],
      properties: { name, categoryId, status: { ...status, default: defaultStatus } },
      description: "An animal to add. Other members are ignored.",
    },
    Pet: {
      type: "object",
      required: ["id", "name", "categoryId", "status"],
      properties: {
        id: {
          type: "integer",
          format: "int64",
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: "Unique identifier, assigned by the service on creation. Ids ascend and are never reused.",
          examples: [1],
        },
        name,
        categoryId,
        status,
      },
      description: "An animal of the catalogue.",
    },
    Pets: {
      type: "array",
      maxItems: LIMIT.maximum,
      items: { $ref: "#/components/schemas/Pet" },
      description: "A page of animals.",
    },
    Error: errorSchema(
      Object.keys(ERROR_STATUS),
      { minimum: 400, maximum: 599 },
      "The body of every response with a status of 400 or more. Each response has a narrower schema of its own.",
    ),
  };
}
