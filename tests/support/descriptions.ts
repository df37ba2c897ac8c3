/** The descriptions of petstores by their options. */

import { createOpenApi, type JsonObject } from "../../lib/openapi/openapi.ts";
import { checkOptions } from "../../lib/petstore/checked_options.ts";
import { describeServer } from "../../lib/server/serving/description.ts";
import { createMemoryStore, createPetstore, type PetstoreOptions } from "../../mod.ts";
import type { PetStore } from "../../lib/stores/store.ts";
import { readDescription } from "./openapi_validator.ts";

/** A store that does not recognize a repeated request. */
export const FORGETFUL = Object.assign(createMemoryStore(), { createOnce: undefined }) as unknown as PetStore;

export function openApiOf(options: Partial<PetstoreOptions> = {}): JsonObject {
  return createOpenApi(createPetstore({ keys: ["k"], ...options }));
}

export function serverOpenApiOf(options: Partial<PetstoreOptions> = {}): JsonObject {
  return describeServer(checkOptions({ keys: ["k"], ...options }));
}

/** The description of all that a petstore can have, but for CORS and store orders, and its schemas. */
export function readWhole() {
  const described = readDescription(openApiOf({ requestIds: "all" }));
  const { schemas } = described.description["components"] as Record<string, Record<string, JsonObject>>;
  return { ...described, schemas: schemas! };
}

/** Every object of the description. */
export function* objectsIn(value: unknown): Generator<JsonObject> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as JsonObject;
  for (const member of Object.values(value)) yield* objectsIn(member);
}
