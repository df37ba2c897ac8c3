/** The options of a petstore. */

import type { ApiKeys } from "../access/keys.ts";
import type { RateLimitOptions } from "../access/rate_limit.ts";
import type { Caller } from "../http/context.ts";
import type { CorsOptions } from "../http/cors.ts";
import type { RequestIds } from "../http/finisher.ts";
import type { ErrorInfo } from "../http/recovery.ts";
import type { PetStatus } from "../pet.ts";
import type { PetStore } from "../stores/store.ts";

/** Options of {@link createPetstore}. */
export interface PetstoreOptions {
  /** The valid API keys, or a function that verifies one. Several keys may be valid at once, so you can rotate them. */
  keys: ApiKeys;
  /**
   * Where the pets are kept. The app closes it. Default: a new {@link createMemoryStore}, whose pets are lost when the process
   * ends. To keep them, take `createSqliteStore()` on a machine with a disk, `createPostgresStore()` for several machines,
   * `createD1Store()` in Cloudflare Workers, `createDurableObjectStore()` in a Durable Object, or `createKvStore()` for Deno KV.
   * Each has an entry point of its own, such as `@petstore/petstore/d1`.
   */
  store?: PetStore;
  /** The path prefix of all routes; `""` for none. Default: `/v1`. */
  basePath?: string;
  /**
   * The public address of the base path, if a proxy changes it: a URL such as `https://api.example/store/v1`, or a path.
   * `Link` and `Location` begin with it. Forwarded headers are never trusted. Default: the base path.
   */
  publicBaseUrl?: string;
  /** The status of a new pet if the request has none. Default: `available`. */
  defaultStatus?: PetStatus;
  /** The largest request body, in bytes. Default: 1,048,576 (1 MiB). */
  maxBodyBytes?: number;
  /** How long a request body may take to arrive, in milliseconds. Default: 15,000. */
  bodyTimeoutMs?: number;
  /** How long a request with an `Idempotency-Key` is remembered, in milliseconds. Default: 86,400,000 (24 hours). */
  idempotencyRetentionMs?: number;
  /** The other origins whose web pages may use the API. Default: none. */
  cors?: CorsOptions;
  /** Answers `GET /store/orders`, after the key check. Without it, the response is 501. */
  handleStoreOrders?: (request: Request, caller: Caller) => Response | Promise<Response>;
  /**
   * Receives the cause of each unexpected error (500) and each store failure (503), which the client does not see. It may
   * be asynchronous: no response waits for it, and its result, exception or rejection is ignored. Default: `console.error`.
   */
  onError?: (info: ErrorInfo) => unknown;
  /**
   * Called for every response when it is about to be sent, for example for a log or metrics. Its result, exception or rejection
   * is ignored.
   */
  onResponse?: (info: ResponseInfo) => unknown;
  /**
   * Which responses have an `X-Request-Id`: that of the request if it is 1 to 128 visible ASCII characters, otherwise a new one.
   * `failures` are the responses with a status of 400 or more. Default: `none`.
   */
  requestIds?: RequestIds;
  /** Limits the requests of each caller, and those of each address without a valid key. Default: no limit. */
  rateLimit?: RateLimitOptions;
}

/** A response, as {@link PetstoreOptions.onResponse} gets it. */
export interface ResponseInfo {
  /** The method of the request. */
  method: string;
  /** The template of the route, such as `/v1/pets/{petId}`. Undefined if the request was refused before, or nothing matched. */
  route: string | undefined;
  /** The status of the response. */
  status: number;
  /** The caller of the request. Undefined without a valid key. */
  caller: Caller | undefined;
  /** The `X-Request-Id` of the request if it has a usable one, otherwise a new id. */
  requestId: string;
  /** How long the response took, in milliseconds; 0 for a kept one that waited for nothing. */
  durationMs: number;
  /** The size of the response's body in bytes. Undefined if it is a stream of unknown length. */
  bodyBytes: number | undefined;
}
