/** The definition of an operation: the one source for serving and for describing it. */

import type { Json, JsonObject } from "../json_types.ts";
import type { Caller } from "../http/context.ts";
import type { HeaderFields } from "../http/reply.ts";
import type { Handler, Operation } from "../http/operation.ts";
import type { PetStatus } from "../pet.ts";
import { withoutPrototype } from "../without_prototype.ts";
import type { PetStore } from "../stores/store.ts";
import type { FailureGroup } from "./failure_groups.ts";
import type { HeaderKey } from "./headers.ts";

/** The settings that handlers use. */
export interface OperationSettings {
  store: PetStore;
  /** The beginning of each link. */
  linkBase: string;
  defaultStatus: PetStatus;
  maxBodyBytes: number;
  bodyTimeoutMs: number;
  idempotencyRetentionMs: number;
  handleStoreOrders: ((request: Request, caller: Caller) => Response | Promise<Response>) | undefined;
}

/** When an operation is removed, and its replacement. */
export interface Deprecation {
  /** In seconds since 1970 (RFC 9745). */
  since: number;
  /** The announced day of its removal, as an HTTP date (RFC 8594). The code serves it afterwards too. */
  sunset: string;
  /** The path of its successor below the base path (RFC 5829). */
  successor: string;
}

/** An operation of the specification. Its right, its conditional requests and what is tested of it follow from its effect. */
export type Definition =
  // Only GET is safe (RFC 9110 §9.2.1), and only POST adds alone.
  | { method: "GET"; effect: "reads" } & DefinitionParts<ReadSettings>
  | { method: "POST"; effect: "adds" | "alters" } & DefinitionParts<OperationSettings>
  | { method: "PUT" | "PATCH" | "DELETE"; effect: "alters" } & DefinitionParts<OperationSettings>;

/** With a store that cannot be changed. */
type ReadSettings = Omit<OperationSettings, "store"> & { store: Pick<PetStore, "get" | "list"> };

interface DefinitionParts<Settings> {
  /** A template below the base path that may end in one parameter (`/pets/{petId}`). */
  path: string;
  deprecation?: Deprecation;
  /** How far its users can rely on it (§9 of the specification). Default: it is stable. */
  stability?: "experimental" | "beta";
  createHandler(settings: Settings): Handler;
}

/** Describes an operation. Not a part of its {@link Definition}, so that a bundle which describes nothing leaves it out. */
export type Describe = (settings: OperationSettings) => Description;

/** An Operation Object of OpenAPI without what follows from the {@link Definition}. */
export interface Description {
  /** The name of the operation: its `operationId`. */
  id: string;
  tag: "animals" | "store";
  summary: string;
  description: string;
  /** Further members of the Operation Object. */
  more?: JsonObject;
  /** The successful responses by status. */
  responses: Record<string, ResponseDescription>;
  /** The failures of the operation itself, without those that every operation can have. */
  failures: readonly FailureGroup[];
}

/** A successful response. */
export interface ResponseDescription {
  description: string;
  headers?: readonly HeaderKey[];
  /** The name of the schema of the body; absent if there is no body. */
  schema?: string;
  example?: Json;
}

/** Makes a definition ready to serve. */
export function createOperation(definition: Definition, settings: OperationSettings, basePath: string): Operation {
  const { method, effect, path, deprecation } = withoutPrototype(definition);
  return {
    method,
    path: basePath + path,
    access: "key",
    effect,
    fields: deprecation && deprecationFields(deprecation, settings.linkBase),
    handler: definition.createHandler(settings),
  };
}

/** @param linkBase The beginning of each link. */
function deprecationFields({ since, sunset, successor }: Deprecation, linkBase: string): HeaderFields {
  return { deprecation: `@${since}`, sunset, link: `<${linkBase}${successor}>; rel="successor-version"` };
}
