/** The descriptions of petstores by their options. */

import { createOpenApi, type JsonObject } from "../../lib/openapi/openapi.ts";
import { checkOptions } from "../../lib/petstore/settings.ts";
import { describeServer } from "../../lib/server/description.ts";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";

export function openApiOf(options: Partial<PetstoreOptions> = {}): JsonObject {
  return createOpenApi(createPetstore({ keys: ["k"], ...options }));
}

export function serverOpenApiOf(options: Partial<PetstoreOptions> = {}): JsonObject {
  return describeServer(checkOptions({ keys: ["k"], ...options }));
}
