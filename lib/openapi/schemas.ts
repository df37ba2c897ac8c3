/** The schemas of the description (JSON Schema 2020-12, as OpenAPI 3.1 has it). */

import { ERROR_STATUS } from "../error_codes.ts";
import type { JsonObject } from "./openapi.ts";
import { MAX_NAME_LENGTH, PET_STATUSES, type PetStatus } from "../pet.ts";

// No control character, and at least one that is not white space. Written so that engines without look-ahead take it.
const PLAIN = "\\x00-\\x1F\\x7F-\\x9F";
const NAME_PATTERN = `^[^${PLAIN}]*[^\\s${PLAIN}][^${PLAIN}]*$`;

/** The schemas by name. */
export function createSchemas(defaultStatus: PetStatus): Record<string, JsonObject> {
  const name: JsonObject = {
    type: "string",
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    pattern: NAME_PATTERN,
    description: "The animal's name. Without lone surrogates; stored and returned exactly as sent.",
    examples: ["Rex"],
  };
  const categoryId: JsonObject = {
    type: "integer",
    format: "int64",
    description: "Identifier of the category the animal belongs to. Exact over the whole range of int64, " +
      "−2^63 to 2^63 − 1; read it with a JSON parser that keeps such integers.",
    examples: [7],
  };
  const status: JsonObject = { $ref: "#/components/schemas/PetStatus" };
  return {
    PetStatus: { type: "string", enum: [...PET_STATUSES], description: "Availability of an animal." },
    NewPet: {
      type: "object",
      required: ["name", "categoryId"],
      properties: { name, categoryId, status: { ...status, default: defaultStatus } },
      description: "An animal to be added. Other members are ignored.",
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
          description: "Unique identifier, assigned by the service on creation: ascending and never reused.",
          examples: [1],
        },
        name,
        categoryId,
        status,
      },
      description: "An animal of the catalogue.",
    },
    Pets: { type: "array", maxItems: 100, items: { $ref: "#/components/schemas/Pet" } },
    Error: {
      type: "object",
      required: ["code", "message", "status"],
      properties: {
        code: { type: "string", enum: Object.keys(ERROR_STATUS), description: "Machine-readable error code." },
        message: { type: "string", description: "Human-readable description. It can change." },
        status: { type: "integer", minimum: 400, maximum: 599, description: "The HTTP status code of the response." },
      },
      description: "What every response with a status of 400 or more carries.",
    },
  };
}
