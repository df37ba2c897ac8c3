import type { ApiKeys } from "../access/keys_option.ts";
import type { Caller } from "../http/context.ts";
import type { CorsOptions } from "../http/cors.ts";
import type { RequestIds } from "../http/finisher.ts";
import type { ErrorInfo } from "../http/recovery.ts";
import type { ErrorCode } from "../error_codes.ts";
import type { DeprecationOptions } from "../operations/definition.ts";
import type { PetStatus } from "../pet.ts";
import type { PetStore } from "../stores/store.ts";

/** Options of {@link createPetstore}. */
export interface PetstoreOptions {
  /** The valid keys, a key manager, or a function that verifies a key. */
  keys: ApiKeys;
  /**
   * Where the pets are kept; the app closes it. Default: a {@link createMemoryStore}, which ends
   * with the process. Lasting stores have entry points of their own.
   */
  store?: PetStore;
  /** The path prefix of all routes; `""` for none. Default: `/v1`. */
  basePath?: string;
  /**
   * The public URL or path of the base path, if a proxy changes it. Forwarded headers are never
   * trusted. Default: the base path.
   */
  publicBaseUrl?: string;
  /** The status of a new pet without one. Default: `available`. */
  defaultStatus?: PetStatus;
  /** The largest request body, in bytes, up to 64 MiB. Default: 65,536. */
  maxBodyBytes?: number;
  /** How long a request body may take, in milliseconds. Default: 15,000. */
  bodyTimeoutMs?: number;
  /** How long an `Idempotency-Key` counts, in milliseconds. Default: 86,400,000. */
  idempotencyRetentionMs?: number;
  /** Other origins whose pages may use the API. Default: none. */
  cors?: CorsOptions;
  /** Answers `GET /store/orders`. Without it, the response is 501. */
  handleStoreOrders?: (request: Request, caller: Caller) => Response | Promise<Response>;
  /**
   * Told of what was thrown for each 500 and for each 503 of the store, which the client does not
   * see. It is not awaited; its failures are ignored. Default: `console.error`.
   */
  onError?: (info: ErrorInfo) => unknown;
  /** Told of each response before it is sent. It is not awaited; its failures are ignored. */
  onResponse?: (info: ResponseInfo) => unknown;
  /** Which responses have an `X-Request-Id`; `failures` from status 400. Default: `failures`. */
  requestIds?: RequestIds;
  /** When `getPet` ends, or `false` if it stays. Default: that of the specification, 2030-12-05. */
  deprecation?: DeprecationOptions | false;
  /** How far users can rely on an operation, for its description: `{ listPets: "beta" }`. Default: it is stable. */
  stability?: Readonly<Record<string, Stability>>;
}

/** How far users can rely on an operation. */
export type Stability = "experimental" | "alpha" | "beta";

/** What {@link PetstoreOptions.onResponse} is told of a response. */
export interface ResponseInfo {
  /** The method of the request, as it was sent. */
  method: string;
  /**
   * The template of the path, such as `/v1/pets/{petId}`. Undefined if nothing matched or the
   * request was refused before.
   */
  route: string | undefined;
  /** The status of the response. */
  status: number;
  /**
   * The error code of a failure. Undefined for other responses, and for those of
   * {@link PetstoreOptions.handleStoreOrders}.
   */
  code: ErrorCode | undefined;
  /** Who sent the request. Undefined without a valid key. */
  caller: Caller | undefined;
  /** The usable `X-Request-Id` of the request, or a new id. */
  requestId: string;
  /** The time until the response was ready, in milliseconds. */
  durationMs: number;
  /** The length of the body in bytes. Undefined for one that `withFaults()` breaks off. */
  bodyBytes: number | undefined;
}
