/**
 * Describes a petstore with OpenAPI.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { createPetstore } from "@petstore/petstore";
 * import { createOpenApi } from "@petstore/petstore/openapi";
 *
 * const petstore = createPetstore({ keys: ["pk_example"] });
 * const description = createOpenApi(petstore, { servers: [{ url: "https://pets.example/v1" }] });
 * assert.equal(description["openapi"], "3.1.0");
 * ```
 *
 * @module
 */

import { checkAll, type Checks, option } from "../option_checks.ts";
import type { Json, JsonObject } from "../operations/json_types.ts";
import type { Petstore } from "../petstore/petstore.ts";
import { serviceOf } from "../petstore/service.ts";
import { describe, type OpenApiServer } from "./describe.ts";

export type { Json, JsonObject, OpenApiServer, Petstore };

/** Options of {@link createOpenApi}. */
export interface OpenApiOptions {
  /** The addresses of the API. Default: `publicBaseUrl`, or else `basePath` on the host that serves the description. */
  servers?: readonly OpenApiServer[];
}

const CHECKS: Checks<OpenApiOptions, { servers: readonly OpenApiServer[] | undefined }> = {
  servers: option('a list such as [{ url: "https://pets.example/v1" }]', checkServers, undefined),
};

function checkServers(given: unknown): OpenApiServer[] | undefined {
  const isList = Array.isArray(given) && given.every((server) => typeof server?.url === "string");
  return isList ? given : undefined;
}

/**
 * Creates the OpenAPI 3.1 description of a petstore, as plain data for `JSON.stringify()`.
 *
 * @param petstore What {@link createPetstore} has returned.
 * @throws {TypeError} If it is another object, or an option is unknown or invalid.
 */
export function createOpenApi(petstore: Petstore, options: OpenApiOptions = {}): JsonObject {
  const { settings } = serviceOf(petstore, "createOpenApi() takes what createPetstore() has returned");
  return describe(settings, checkAll(CHECKS, options).servers);
}
