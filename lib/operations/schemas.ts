/** The schemas of the description (JSON Schema 2020-12, as in OpenAPI 3.1). */

import type { JsonObject } from "./json_types.ts";
import { MAX_NAME_LENGTH, PET_STATUSES, type PetStatus } from "../pet.ts";
import { LIMIT } from "./paging.ts";

export const NEW_PET_EXAMPLE: JsonObject = { name: "Rex", categoryId: 7, status: "available" };
export const PET_EXAMPLE: JsonObject = { id: 1, name: "Rex", categoryId: 7, status: "available" };

export const PET_ID: JsonObject = {
  name: "petId",
  in: "path",
  required: true,
  description: "Identifier of the animal to retrieve.",
  schema: { type: "integer", format: "int64" },
  example: 1,
};

/** The parameters of an operation whose responses have an entity tag. */
export const CONDITIONS: JsonObject[] = [
  {
    name: "If-None-Match",
    in: "header",
    description: "Entity tags that the client has. If one of them is current, the response is 304 (RFC 9110 §13.1.2).",
    schema: { type: "string" },
  },
];

/**
 * Creates the schemas of the description, by their names.
 *
 * @param codes The codes that an Error may have.
 */
export function createSchemas(defaultStatus: PetStatus, codes: string[]): JsonObject {
  // No control characters, and at least one character that is not white space. Not all regex
  // engines support look-ahead.
  const plain = "\\x00-\\x1F\\x7F-\\x9F";
  const name: JsonObject = {
    type: "string",
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    pattern: `^[^${plain}]*[^\\s${plain}][^${plain}]*$`,
    description: "The animal's name: 1 to 255 characters, not only white space, without control characters and lone " +
      "surrogates. It is stored and returned exactly as sent.",
    examples: ["Rex"],
  };
  // It has no `minimum` and no `maximum`, because a JavaScript number cannot represent 2^63 − 1.
  const categoryId: JsonObject = {
    type: "integer",
    format: "int64",
    description: "Identifier of the category the animal belongs to: any int64, from −2^63 to 2^63 − 1, kept exactly. " +
      "Read it with a JSON parser that does not round large integers.",
    examples: [7],
  };
  const status: JsonObject = { $ref: "#/components/schemas/PetStatus" };
  return {
    PetStatus: {
      type: "string",
      enum: [...PET_STATUSES],
      description: "Availability status.",
      "x-enumDescriptions": Object.fromEntries(PET_STATUSES.map((status) => [status, `Animal is ${status}.`])),
    },
    NewPet: {
      type: "object",
      required: ["name", "categoryId"],
      // Generators make a member with a `default` one that a request must have, so the default is told in words.
      properties: { name, categoryId, status: { ...status, description: `Default: \`${defaultStatus}\`.` } },
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
          description:
            "Unique identifier, assigned by the service on creation. Ids ascend, and no id is reused, unless the operator restores a backup.",
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
      description: "A JSON array of Pet objects.",
    },
    Error: {
      type: "object",
      required: ["code", "message", "status"],
      properties: {
        code: {
          type: "string",
          description:
            "Machine-readable error code. Each response has examples of its codes. A later release, or a proxy in " +
            "front, may send other codes.",
          examples: codes,
        },
        message: { type: "string", description: "Human-readable description. A later release may change it." },
        status: {
          type: "integer",
          format: "int32",
          minimum: 400,
          maximum: 599,
          description: "The HTTP status code of the response.",
        },
      },
      description: "The body of every response with a status of 400 or more.",
    },
  };
}
