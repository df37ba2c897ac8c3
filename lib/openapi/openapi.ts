/** The interface description (OpenAPI 3.1), as data. */

import { COMMON_RESPONSES, createPaths } from "./paths.ts";
import { HEADERS } from "./responses.ts";
import { createSchemas } from "./schemas.ts";
import { checkContract, NAMES, type PetstoreOptions, requireNames } from "../service/options.ts";

/** A value that JSON can carry. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** A member. */
  [name: string]: Json;
}

/** An address that the API is reached at (the OpenAPI Server Object). */
export interface OpenApiServer {
  /** The address, ending where the paths begin: `https://pets.example/v1`, or relative to where the description is. */
  url: string;
  /** What is there, such as `Production`. */
  description?: string;
}

/** Options of {@link createOpenApi}: those of the petstore it describes, and where that is reached. */
export interface OpenApiOptions extends Partial<PetstoreOptions> {
  /** The addresses of the API; unless given, its base path on the host that the description is read from. */
  servers?: readonly OpenApiServer[];
}

const DESCRIPTION = `A catalogue of animals: list, add, fetch. Every request carries an API key as a bearer token.

What can be answered beside the operations: every path answers HEAD where it answers GET, with the same headers and no
body, and OPTIONS with 204 and \`Allow\`, the methods that it has. A method that a path does not have gets 405
\`method_not_allowed\`, also with \`Allow\`, and a path that does not exist 404 \`route_not_found\`, both with an Error
body.`;

const CROSS_ORIGIN = `

Preflights of allowed origins are answered with 204 and without a key. Responses also carry \`Vary: Origin\` and the
\`Access-Control-*\` headers of the Fetch standard.`;

/**
 * Describes a petstore in OpenAPI 3.1: what is really served, under the app's own base path and addresses.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createOpenApi } from "@petstore/petstore";
 *
 * const description = createOpenApi({ servers: [{ url: "https://pets.example/v1" }] });
 * assert.equal(description["openapi"], "3.1.0");
 * ```
 *
 * @throws {TypeError} If an option is unknown or wrong.
 */
export function createOpenApi(options: OpenApiOptions = {}): JsonObject {
  requireNames(options, [...NAMES, "servers"]);
  const settings = checkContract(options);
  const remembersRequests = options.store === undefined || options.store.createOnce !== undefined;
  const { IdempotencyReplayed, ...headers } = HEADERS;
  const servers = checkServers(options.servers ?? [{ url: settings.linkBase || "/" }]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Petstore",
      version: "1.0.0",
      description: options.cors === undefined ? DESCRIPTION : DESCRIPTION + CROSS_ORIGIN,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers,
    security: [{ bearer: [] }],
    tags: [
      { name: "animals", description: "The catalogue of animals." },
      { name: "store", description: "Orders of the store." },
    ],
    "x-tagGroups": [{ name: "Store", tags: ["store"] }, { name: "Pets", tags: ["animals"] }],
    paths: createPaths({
      ...settings,
      hasStoreOrders: options.handleStoreOrders !== undefined,
      remembersRequests,
    }),
    components: {
      schemas: createSchemas(settings.defaultStatus),
      responses: COMMON_RESPONSES,
      headers: remembersRequests ? { ...headers, IdempotencyReplayed } : headers,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key: `Authorization: Bearer <API_KEY>`." },
      },
    },
  };
}

function checkServers(servers: readonly OpenApiServer[]): JsonObject[] {
  const isList = Array.isArray(servers) && servers.every((server) => typeof server?.url === "string");
  if (!isList) throw new TypeError('Option servers must be a list such as [{ url: "https://pets.example/v1" }]');
  return servers.map((server) => ({ ...server }));
}
