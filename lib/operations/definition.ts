/** The definition of an operation: the one source for serving and for describing it. */

import type { Json, JsonObject } from "./json_types.ts";
import type { Caller } from "../http/context.ts";
import type { Cors } from "../http/cors.ts";
import type { HeaderFields } from "../http/reply.ts";
import type { Effect, Handler, Operation } from "../http/operation.ts";
import { chain } from "../promises.ts";
import type { PetStatus } from "../pet.ts";
import type { PetStore } from "../stores/store.ts";
import { type FailureGroup, GONE } from "./failure_groups.ts";
import type { HeaderKey } from "./headers.ts";

/** The settings that handlers use. */
export interface OperationSettings {
  store: PetStore;
  basePath: string;
  /** The address of the API as clients see it, if a proxy changes it. */
  publicBaseUrl: string | undefined;
  defaultStatus: PetStatus;
  maxBodyBytes: number;
  bodyTimeoutMs: number;
  idempotencyRetentionMs: number;
  cors: Cors | undefined;
  handleStoreOrders: ((request: Request, caller: Caller) => Response | Promise<Response>) | undefined;
  /** When the operations end that the specification deprecates; false if the app keeps them. */
  deprecation: Deprecation | false;
}

/** The end of an operation. */
export interface DeprecationOptions {
  /** Since when the operation is deprecated, as the header `Deprecation` says (RFC 9745). Default: 2026-11-20. */
  since?: Date;
  /** When the operation ends, as the header `Sunset` says (RFC 8594), not before `since`. Default: 2030-12-05. */
  sunset?: Date;
  /** What replaces it, in `Link` (RFC 5829): a path below the base path, or an address. Default: `/pets`. */
  successor?: string;
  /** Whether it is answered with 410 `gone` from `sunset` on. Default: `false`. */
  gone?: boolean;
}

export type Deprecation = Required<DeprecationOptions>;

/**
 * An operation of the specification. Its right, its conditional requests and what is tested of it
 * follow from its effect.
 */
export interface Definition {
  /** The name of the operation, which is the `operationId` of the description. */
  id: string;
  method: "GET" | "POST";
  effect: Effect;
  /** A template below the base path that may end in one parameter (`/pets/{petId}`). */
  path: string;
  isDeprecated?: true;
  createHandler(settings: OperationSettings): Handler;
}

/**
 * Describes an operation. Not a part of its {@link Definition}, so that a bundle which describes
 * nothing leaves it out.
 */
export type Describe = (settings: OperationSettings) => Description;

/** An Operation Object of OpenAPI without what follows from the {@link Definition}. */
export interface Description {
  tag: "animals" | "store";
  summary: string;
  description: string;
  /** Members of the Operation Object that only this operation has. */
  ownMembers?: JsonObject;
  /** The successful responses, by their status. */
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

/** Makes of a definition an operation that the router can call. */
export function createOperation(definition: Definition, settings: OperationSettings): Operation {
  const { method, effect, path } = definition;
  const deprecation = deprecationOf(definition, settings);
  const handler = definition.createHandler(settings);
  return {
    method,
    path: settings.basePath + path,
    access: "key",
    effect,
    fields: deprecation && deprecationFields(deprecation, linkBaseOf(settings)),
    handler: deprecation?.gone ? endAt(deprecation.sunset, handler) : handler,
  };
}

/** What each link of the API begins with. */
export function linkBaseOf({ publicBaseUrl, basePath }: Pick<OperationSettings, "publicBaseUrl" | "basePath">): string {
  return publicBaseUrl ?? basePath;
}

/** How an operation ends. It is undefined for an operation that stays. */
export function deprecationOf(definition: Definition, settings: OperationSettings): Deprecation | undefined {
  return definition.isDeprecated && settings.deprecation ? settings.deprecation : undefined;
}

/** @param linkBase The beginning of each link. */
function deprecationFields({ since, sunset, successor }: Deprecation, linkBase: string): HeaderFields {
  return {
    deprecation: `@${Math.floor(+since / 1000)}`,
    sunset: sunset.toUTCString(),
    link: `<${successor.startsWith("http") ? "" : linkBase}${successor}>; rel="successor-version"`,
  };
}

/** Ends an operation at a date. The cache keeps none of its replies, because a copy would outlast the operation. */
function endAt(sunset: Date, handler: Handler): Handler {
  const answer = withoutCache(handler);
  return (call) => Date.now() >= sunset.getTime() ? GONE : answer(call);
}

/**
 * The handler, but its replies lack `invalidatedBy`, so that the cache keeps none and each request
 * calls the handler.
 */
export function withoutCache(handler: Handler): Handler {
  return (call) => chain(handler(call), ({ invalidatedBy: _, ...reply }) => reply);
}
