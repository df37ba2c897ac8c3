/** The operations of the description. */

import type { JsonObject } from "./openapi.ts";
import { LIMIT } from "../service/refusals.ts";
import { bodiless, deprecated, failure, perhapsDeprecated, success } from "./responses.ts";

const REX: JsonObject = { id: 1, name: "Rex", categoryId: 7, status: "available" };

const IF_NONE_MATCH: JsonObject = {
  name: "If-None-Match",
  in: "header",
  description:
    "Entity tags that the client has; if the current one is among them the answer is 304 (RFC 9110 §13.1.2).",
  schema: { type: "string" },
};

/** What the paths say that depends on the options. */
export interface PathOptions {
  basePath: string;
  maxBodyBytes: number;
  bodyTimeoutMs: number;
  hasStoreOrders: boolean;
  /** Whether the store can tell a request that is sent again. */
  remembersRequests: boolean;
  idempotencyRetentionMs: number;
}

/** The paths, relative to the server's address. */
export function createPaths(options: PathOptions): Record<string, JsonObject> {
  return {
    "/pets": { get: LIST_PETS, post: createPetOperation(options) },
    "/pets/{petId}": { get: GET_PET },
    "/store/orders": { get: createStoreOrdersOperation(options.hasStoreOrders) },
  };
}

const INTERNAL_ERROR = failure(500, "Something unforeseen; the cause is told to the operator only.", {
  internal_error: "An internal error occurred",
});

const STORE_UNAVAILABLE = failure(
  503,
  "The store cannot serve at present. Nothing was acknowledged that is not stored.",
  {
    store_unavailable: "The store is unavailable at present; try again later",
  },
  { "Retry-After": "RetryAfter" },
);

const STORE_UNAVAILABLE_OR_TOO_MANY_ANSWERS = failure(
  503,
  "The store cannot serve at present, or too many large answers are under way.",
  {
    store_unavailable: "The store is unavailable at present; try again later",
    overloaded: "Too many large answers are under way; try again later",
  },
  { "Retry-After": "RetryAfter" },
);

/** Responses that several operations have. */
export const COMMON_RESPONSES: Record<string, JsonObject> = {
  Unauthorized: failure(401, "API key missing or invalid.", {
    missing_api_key: "An API key is required, as Authorization: Bearer <API_KEY>",
    invalid_api_key: "The API key is not valid",
  }, { "WWW-Authenticate": "Challenge" }),
  InternalError: INTERNAL_ERROR,
  StoreUnavailable: STORE_UNAVAILABLE_OR_TOO_MANY_ANSWERS,
};

const COMMON: JsonObject = {
  401: { $ref: "#/components/responses/Unauthorized" },
  500: { $ref: "#/components/responses/InternalError" },
};
const STORED: JsonObject = { ...COMMON, 503: { $ref: "#/components/responses/StoreUnavailable" } };

const LIST_PETS: JsonObject = {
  operationId: "listPets",
  tags: ["animals"],
  summary: "List all animals",
  description:
    'Animals in ascending order of `id`, a page at a time. Follow `Link: <…>; rel="next"` until it is absent.',
  parameters: [
    {
      name: "limit",
      in: "query",
      description: "The most animals on a page.",
      schema: { type: "integer", minimum: LIMIT.minimum, maximum: LIMIT.maximum, default: LIMIT.default },
    },
    {
      name: "status",
      in: "query",
      description: "Only animals of this status.",
      schema: { $ref: "#/components/schemas/PetStatus" },
    },
    {
      name: "cursor",
      in: "query",
      description: "Where the page begins. Opaque: take it from the `Link` of the page before.",
      schema: { type: "string" },
    },
    IF_NONE_MATCH,
  ],
  responses: {
    200: success("A page of animals.", "Pets", [REX], { ETag: "ETag", Link: "NextPage" }),
    304: bodiless("The page is as it was.", { ETag: "ETag", Link: "NextPage" }),
    400: failure(400, "A query parameter is invalid, empty or repeated.", {
      invalid_limit: 'The query parameter limit must be a whole number from 1 to 100, not "101"',
      invalid_status: 'The query parameter status must be one of available, pending, sold, not "lost"',
      invalid_cursor: 'The query parameter cursor must be taken from the Link header of a list, not "abc"',
    }),
    ...STORED,
  },
};

function createPetOperation(options: PathOptions): JsonObject {
  const { maxBodyBytes, bodyTimeoutMs, remembersRequests } = options;
  return {
    operationId: "createPet",
    tags: ["animals"],
    summary: "Add an animal",
    description: "The service assigns the `id`. Once this is answered with 201, the animal is stored.",
    ...(remembersRequests ? { parameters: [createIdempotencyKey(options.idempotencyRetentionMs)] } : {}),
    requestBody: {
      required: true,
      description: `At most ${maxBodyBytes} bytes, which must arrive within ${bodyTimeoutMs} ms.`,
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/NewPet" },
          example: { name: "Rex", categoryId: 7, status: "available" },
        },
      },
    },
    responses: {
      201: success("The created animal.", "Pet", REX, {
        Location: "Location",
        ...(remembersRequests ? { "Idempotency-Replayed": "IdempotencyReplayed" } as const : {}),
      }),
      400: failure(400, "The body lacks required fields or has invalid values.", {
        invalid_idempotency_key:
          "The Idempotency-Key must be 1 to 255 visible ASCII characters, bare or as a quoted string",
        invalid_json: "The request body is not valid JSON: it is empty",
        invalid_pet: "The pet is not valid: name is required; categoryId is required",
      }),
      408: failure(408, "The body did not arrive in time.", {
        request_timeout: `The request body did not arrive within ${bodyTimeoutMs} ms`,
      }),
      413: failure(413, "The body is too large.", {
        body_too_large: `The request body must be at most ${maxBodyBytes} bytes`,
      }),
      415: failure(415, "The body is not JSON, or is encoded.", {
        unsupported_media_type: "The request body must be application/json",
      }, { "Accept-Post": "AcceptPost", "Accept-Encoding": "AcceptEncoding" }),
      ...(remembersRequests ? { 422: KEY_REUSED } : { 501: CANNOT_REMEMBER }),
      ...STORED,
      503: STORE_UNAVAILABLE_OR_OVERLOADED,
    },
  };
}

const STORE_UNAVAILABLE_OR_OVERLOADED = failure(
  503,
  "The store cannot serve at present, or too many large bodies are under way. Nothing was acknowledged that is not stored.",
  {
    store_unavailable: "The store is unavailable at present; try again later",
    overloaded: "Too many large request bodies are under way; try again later",
  },
  { "Retry-After": "RetryAfter" },
);

const KEY_REUSED = failure(422, "The Idempotency-Key has been used for another animal.", {
  idempotency_key_reused: "The Idempotency-Key has been used for another pet; use a new key for a new pet",
});

const CANNOT_REMEMBER = failure(501, "Idempotency-Key is not supported here.", {
  not_implemented: "The store of this petstore does not support Idempotency-Key; send the request without it",
});

function createIdempotencyKey(retention: number): JsonObject {
  return {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes it safe to send the request again (draft-ietf-httpapi-idempotency-key-header): with the same key and the " +
      "same animal the first answer is given again, with `Idempotency-Replayed: true`, and no second animal is made. " +
      "Bare, or a quoted string, whose parameters are ignored; a new one, such as a UUID, for every new animal. Belongs to the API key that it is " +
      `sent with, and is remembered for ${retention / 1000} seconds after the animal was made.`,
    // Not the parameter's own example: pages that try the service out would send that one with every new animal.
    schema: { type: "string", minLength: 1, examples: ['"8e03978e-40d5-43dd-bc93-6894a57f9324"'] },
  };
}

const GET_PET: JsonObject = {
  operationId: "getPet",
  tags: ["animals"],
  summary: "Get an animal",
  description: "Deprecated, to be removed on 5 December 2030: use `GET /pets` with the `status` filter.",
  deprecated: true,
  "x-deprecated-sunset": "2030-12-05",
  parameters: [
    {
      name: "petId",
      in: "path",
      required: true,
      description: "Identifier of the animal to retrieve.",
      schema: { type: "integer", format: "int64" },
      example: 1,
    },
    IF_NONE_MATCH,
  ],
  responses: {
    200: deprecated(success("The animal.", "Pet", REX, { ETag: "ETag" })),
    304: deprecated(bodiless("The animal is as it was.", { ETag: "ETag" })),
    401: { $ref: "#/components/responses/Unauthorized" },
    404: deprecated(failure(404, "There is no such animal.", { pet_not_found: 'There is no pet "9"' })),
    500: deprecated(INTERNAL_ERROR),
    503: perhapsDeprecated(STORE_UNAVAILABLE),
  },
};

function createStoreOrdersOperation(isServed: boolean): JsonObject {
  return {
    operationId: "listStoreOrders",
    tags: ["store"],
    summary: "Store orders",
    description: isServed ? "Answered by the app." : "Named by the interface, not served here.",
    responses: {
      ...COMMON,
      ...(isServed ? { default: { description: "Whatever the app answers." } } : {
        501: failure(501, "There are no store orders here.", {
          not_implemented: "This petstore has no store orders",
        }),
      }),
    },
  };
}
