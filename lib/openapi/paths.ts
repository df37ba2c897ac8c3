import { SUNSET } from "../operations/routes.ts";
import { LIMIT } from "../operations/errors.ts";
import {
  type BodyOptions,
  createFailures,
  DEPRECATION,
  GET_FAILURES,
  LIST_FAILURES,
  NO_ORDERS,
  UNAUTHORIZED,
  UNEXPECTED,
} from "./failures.ts";
import type { HeaderKey } from "./headers.ts";
import type { JsonObject } from "./json_types.ts";
import { bodiless, type FailureGroup, success } from "./responses.ts";

export interface PathOptions extends BodyOptions {
  hasStoreOrders: boolean;
  idempotencyRetentionMs: number;
}

/** An operation whose failures are not yet part of its definition. */
export interface Operation {
  path: string;
  method: "get" | "post";
  /** The Operation Object, without the responses of failures. */
  definition: JsonObject;
  failures: readonly FailureGroup[];
}

export function createOperations(options: PathOptions): Operation[] {
  return [
    { path: "/pets", method: "get", ...LIST_PETS },
    { path: "/pets", method: "post", ...createCreatePet(options) },
    { path: "/pets/{petId}", method: "get", ...GET_PET },
    { path: "/store/orders", method: "get", ...createListStoreOrders(options.hasStoreOrders) },
  ];
}

type Described = Pick<Operation, "definition" | "failures">;

const REX: JsonObject = { name: "Rex", categoryId: 7, status: "available" };
const STORED_REX: JsonObject = { id: 1, ...REX };

const IF_NONE_MATCH: JsonObject = {
  name: "If-None-Match",
  in: "header",
  description: "Entity tags that the client has. If one of them is current, the response is 304 (RFC 9110 §13.1.2).",
  schema: { type: "string" },
};

const LIST_PETS: Described = {
  definition: {
    operationId: "listPets",
    tags: ["animals"],
    summary: "List all animals",
    description:
      'Animals in ascending order of `id`, a page at a time. Follow `Link: <…>; rel="next"` until a page has none.',
    externalDocs: { url: "https://www.rfc-editor.org/rfc/rfc8288", description: "RFC 8288: the Link header" },
    parameters: [
      {
        name: "limit",
        in: "query",
        description: "The maximum number of animals on a page.",
        schema: { type: "integer", format: "int32", ...LIMIT },
      },
      {
        name: "status",
        in: "query",
        description: "Only animals with this status.",
        schema: { $ref: "#/components/schemas/PetStatus" },
      },
      {
        name: "cursor",
        in: "query",
        description: "Where the page begins. Opaque: take it from the `Link` header of the page before.",
        schema: { type: "string" },
      },
      IF_NONE_MATCH,
    ],
    responses: {
      200: success("A page of animals.", "Pets", [STORED_REX], ["ETag", "NextPage"]),
      304: bodiless("The page has not changed.", ["ETag", "NextPage"]),
    },
  },
  failures: LIST_FAILURES,
};

function createCreatePet(options: PathOptions): Described {
  const { maxBodyBytes, bodyTimeoutMs, remembersRequests, idempotencyRetentionMs } = options;
  const headers: HeaderKey[] = remembersRequests ? ["Location", "IdempotencyReplayed"] : ["Location"];
  return {
    definition: {
      operationId: "createPet",
      tags: ["animals"],
      summary: "Add an animal",
      description: "The service assigns the `id`. An animal is stored before this is answered with 201.",
      ...(remembersRequests ? createIdempotency(idempotencyRetentionMs) : {}),
      requestBody: {
        required: true,
        description: `At most ${maxBodyBytes} bytes, which must arrive within ${bodyTimeoutMs} ms.`,
        content: { "application/json": { schema: { $ref: "#/components/schemas/NewPet" }, example: REX } },
      },
      responses: { 201: success("The created animal.", "Pet", STORED_REX, headers) },
    },
    failures: createFailures(options),
  };
}

function createIdempotency(retentionMs: number): JsonObject {
  return {
    externalDocs: {
      url: "https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/",
      description: "The Idempotency-Key header",
    },
    parameters: [{
      name: "Idempotency-Key",
      in: "header",
      description: "Makes it safe to send the request again. A second request with the same key and the same animal " +
        "gets the first response again, with `Idempotency-Replayed: true`, and adds nothing. Use a new key, such as a " +
        "UUID, for each new animal, with or without quotes; parameters after a quoted key are ignored. The key is " +
        `remembered for ${retentionMs / 1000} seconds. The same key from another caller is a different key.`,
      // In the schema, because documentation pages would send an `example` of the parameter with every request.
      schema: { type: "string", minLength: 1, examples: ['"8e03978e-40d5-43dd-bc93-6894a57f9324"'] },
    }],
  };
}

const SUNSET_DAY = new Date(SUNSET).toISOString().slice(0, 10);

const GET_PET: Described = {
  definition: {
    operationId: "getPet",
    tags: ["animals"],
    summary: "Get an animal",
    description: `Deprecated, to be removed on ${SUNSET_DAY}. Use \`GET /pets\` with the \`status\` filter.`,
    externalDocs: { url: "https://www.rfc-editor.org/rfc/rfc9745", description: "RFC 9745: the Deprecation header" },
    deprecated: true,
    "x-deprecated-sunset": SUNSET_DAY,
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
      200: success("The animal.", "Pet", STORED_REX, ["ETag", ...DEPRECATION]),
      304: bodiless("The animal has not changed.", ["ETag", ...DEPRECATION]),
    },
  },
  failures: GET_FAILURES,
};

function createListStoreOrders(isServed: boolean): Described {
  return {
    definition: {
      operationId: "listStoreOrders",
      tags: ["store"],
      summary: "Store orders",
      description: isServed ? "The app answers this." : "Not served here.",
      responses: isServed ? { default: { description: "A response of the app." } } : {},
    },
    failures: isServed ? [UNAUTHORIZED, UNEXPECTED] : [UNAUTHORIZED, UNEXPECTED, NO_ORDERS],
  };
}
