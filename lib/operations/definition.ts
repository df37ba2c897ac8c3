/** The definition of an operation: the one source for serving and for describing it. */

import type { Json, JsonObject } from "../json_types.ts";
import type { Caller } from "../http/context.ts";
import type { HeaderFields } from "../http/reply.ts";
import type { Handler, Operation } from "../http/operation.ts";
import { chain } from "../maybe_promise.ts";
import type { PetStatus } from "../pet.ts";
import type { PetStore } from "../stores/store.ts";
import { type FailureGroup, GONE } from "./failure_groups.ts";
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
  /** Of the operations that the specification deprecates; false if the app does not. */
  deprecation: Deprecation | false;
}

/** The end of an operation. */
export interface DeprecationOptions {
  /** In the header `Deprecation` (RFC 9745). Default: 2026-11-20. */
  since?: Date;
  /** In the header `Sunset` (RFC 8594), not before `since`. Default: 2030-12-05. */
  sunset?: Date;
  /** What replaces it, in `Link` (RFC 5829): a path below the base path, or an address. Default: `/pets`. */
  successor?: string;
  /** Whether it is answered with 410 `gone` from `sunset` on. Default: `false`. */
  gone?: boolean;
}

export type Deprecation = Required<DeprecationOptions>;

/** An operation of the specification. Its right, its conditional requests and what is tested of it follow from its effect. */
export type Definition =
  | { method: "GET"; effect: "reads" } & DefinitionParts<ReadSettings>
  | { method: "POST"; effect: "adds" } & DefinitionParts<OperationSettings>;

/** With a store that cannot be changed. */
type ReadSettings = Omit<OperationSettings, "store"> & { store: Pick<PetStore, "get" | "list"> };

interface DefinitionParts<Settings> {
  /** Its name: the `operationId`. */
  id: string;
  /** A template below the base path that may end in one parameter (`/pets/{petId}`). */
  path: string;
  isDeprecated?: true;
  createHandler(settings: Settings): Handler;
}

/** Describes an operation. Not a part of its {@link Definition}, so that a bundle which describes nothing leaves it out. */
export type Describe = (settings: OperationSettings) => Description;

/** An Operation Object of OpenAPI without what follows from the {@link Definition}. */
export interface Description {
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
  const { method, effect, path } = definition;
  const deprecation = deprecationOf(definition, settings), handler = definition.createHandler(settings);
  return {
    method,
    path: basePath + path,
    access: "key",
    effect,
    fields: deprecation && deprecationFields(deprecation, settings.linkBase),
    handler: deprecation?.gone ? endAt(deprecation.sunset, handler) : handler,
  };
}

export function deprecationOf(definition: Definition, settings: OperationSettings): Deprecation | undefined {
  return (definition.isDeprecated && settings.deprecation) || undefined;
}

/** @param linkBase The beginning of each link. */
function deprecationFields({ since, sunset, successor }: Deprecation, linkBase: string): HeaderFields {
  return {
    deprecation: `@${Math.floor(+since / 1000)}`,
    sunset: sunset.toUTCString(),
    link: `<${successor.startsWith("http") ? "" : linkBase}${successor}>; rel="successor-version"`,
  };
}

/** Its replies are not cached: a copy would outlast the operation. */
function endAt(sunset: Date, handler: Handler): Handler {
  return (call) => Date.now() < +sunset ? chain(handler(call), ({ validUntil: _, ...reply }) => reply) : GONE;
}
