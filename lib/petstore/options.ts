/** The options of a petstore, and their validation. */

import type { RateLimitOptions } from "../access/rate_limit.ts";
import { createAuthenticate } from "../access/authentication.ts";
import type { ApiKeys } from "../access/keys.ts";
import { type Cors, type CorsOptions, createCors } from "../http/cors.ts";
import type { Caller } from "../http/context.ts";
import { bodyBytes } from "../http/reply.ts";
import type { Guard, Observer, RequestIds } from "../http/pipeline.ts";
import { requestIdOf } from "../http/request_id.ts";
import { withoutPrototype } from "../without_prototype.ts";
import { isPromise } from "../maybe_promise.ts";
import { isPetStatus, PET_STATUSES, type PetStatus } from "../pet.ts";
import { createMemoryStore } from "../stores/memory/memory_store.ts";
import type { PetStore } from "../stores/store.ts";

/** Options of {@link createPetstore}. */
export interface PetstoreOptions {
  /** The valid API keys, or a function that verifies one. Several keys may be valid at once, so you can rotate them. */
  keys: ApiKeys;
  /**
   * Where the pets are kept. The app closes it. Default: a new {@link createMemoryStore}, whose pets end with the process. To keep
   * them, take `createSqliteStore()` on a machine with a disk, `createPostgresStore()` for several machines, `createD1Store()` in
   * Cloudflare Workers, `createDurableObjectStore()` in a Durable Object, or `createKvStore()` on Deno Deploy. Each has an entry point
   * of its own, such as `@petstore/petstore/d1`.
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
   * `requestId` is that of {@link PetstoreOptions.requestIds}, whether or not the response has it.
   */
  onError?: (error: unknown, request: Request, requestId: string) => unknown;
  /**
   * Is told of every response when it is about to be sent, for example for a log or metrics. Its result, exception or rejection
   * is ignored.
   */
  onResponse?: (answered: ResponseInfo) => unknown;
  /**
   * Which responses have an `X-Request-Id`: that of the request if it is 1 to 128 visible ASCII characters, otherwise a new one.
   * `failures` are the responses with a status of 400 or more. Default: `none`.
   */
  requestIds?: RequestIds;
  /** Limits the requests of each caller, and those of each address without a valid key. Default: no limit. */
  rateLimit?: RateLimitOptions;
}

/** What {@link PetstoreOptions.onResponse} is told of a response. */
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
  /** How long the response took, in milliseconds. */
  durationMs: number;
  /** The size of the response's body in bytes. Undefined if it is a stream of unknown length. */
  bodyBytes: number | undefined;
}

/** The validated options, with their defaults. */
export interface Settings extends ContractSettings {
  authenticate: Guard;
  store: PetStore;
  cors: Cors | undefined;
  handleStoreOrders: PetstoreOptions["handleStoreOrders"];
  onError: NonNullable<PetstoreOptions["onError"]>;
  observe: Observer | undefined;
}

/** The options that clients can notice, which the OpenAPI description therefore needs. */
export interface ContractSettings {
  basePath: string;
  /** The beginning of each link. */
  linkBase: string;
  defaultStatus: PetStatus;
  maxBodyBytes: number;
  bodyTimeoutMs: number;
  idempotencyRetentionMs: number;
  requestIds: RequestIds;
  rateLimit: RateLimitOptions | undefined;
}

/** The name of every option. */
export const NAMES: readonly string[] = [
  "keys",
  "store",
  "basePath",
  "publicBaseUrl",
  "defaultStatus",
  "maxBodyBytes",
  "bodyTimeoutMs",
  "idempotencyRetentionMs",
  "cors",
  "handleStoreOrders",
  "onError",
  "onResponse",
  "requestIds",
  "rateLimit",
];

/**
 * Checks the options, so that a mistake shows at start-up and not with the first request.
 *
 * @throws {TypeError} If an option is missing, unknown or invalid.
 */
export function checkOptions(options: PetstoreOptions): Settings {
  if (typeof options !== "object" || options === null) {
    throw new TypeError("createPetstore() needs options, such as { keys: [key] }");
  }
  requireNames(options, NAMES);
  const own = withoutPrototype(options);
  const { keys, store, cors, handleStoreOrders, onError, onResponse } = own;
  return {
    ...checkContract(own),
    authenticate: createAuthenticate(keys),
    store: store === undefined ? createMemoryStore() : requireStore(store),
    cors: cors === undefined ? undefined : checkCors(cors),
    handleStoreOrders: requireFunction("handleStoreOrders", handleStoreOrders),
    onError: requireFunction("onError", onError) ?? ((error) => console.error(error)),
    observe: createObserver(requireFunction("onResponse", onResponse)),
  };
}

/** @throws {TypeError} If an option is invalid. */
export function checkContract(options: Partial<PetstoreOptions>): ContractSettings {
  const { basePath = "/v1", defaultStatus = "available", maxBodyBytes = 1_048_576, bodyTimeoutMs = 15_000 } = options;
  const { idempotencyRetentionMs = 86_400_000 } = options;
  return {
    basePath: checkBasePath(basePath),
    linkBase: checkPublicBaseUrl(options.publicBaseUrl) ?? checkBasePath(basePath),
    defaultStatus: requireStatus(defaultStatus),
    maxBodyBytes: requireCount("maxBodyBytes", maxBodyBytes),
    bodyTimeoutMs: requireCount("bodyTimeoutMs", bodyTimeoutMs),
    idempotencyRetentionMs: requireCount("idempotencyRetentionMs", idempotencyRetentionMs),
    requestIds: requireRequestIds(options.requestIds ?? "none"),
    rateLimit: options.rateLimit === undefined ? undefined : checkRateLimit(options.rateLimit),
  };
}

/** A failing `onResponse` must not stop the response, nor end the process with an unhandled rejection. */
function createObserver(onResponse: PetstoreOptions["onResponse"]): Observer | undefined {
  return onResponse && ((context, reply, startedAt, endedAt) => {
    const { method, route, caller } = context;
    const durationMs = endedAt - startedAt;
    const facts = { method, route, caller, status: reply.status, requestId: requestIdOf(context), durationMs };
    try {
      Promise.resolve(onResponse({ ...facts, bodyBytes: bodyBytes(reply) })).catch(() => {});
    } catch {
      // Ignored, like a rejection.
    }
  });
}

/** @throws {TypeError} If an option is unknown: a misspelt option must not be ignored silently. */
export function requireNames(options: object, names: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw new TypeError(`Unknown option ${name}; the options are ${names.join(", ")}`);
  }
}

/** The address without a slash at its end. */
function checkPublicBaseUrl(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const isPath = typeof address === "string" && address.startsWith("/") && !address.startsWith("//");
  const text = isPath ? `http://h${address}` : String(address);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Links begin with the address as given, so it must already be in normal form.
  const written = url && (isPath ? url.pathname : url.href).replace(/\/$/, "");
  const isPlain = url?.search === "" && url.hash === "" && url.username === "" && url.password === "";
  if (isPlain && /^https?:$/.test(url.protocol) && written === address.replace(/\/$/, "")) return written;
  throw new TypeError(
    `Option publicBaseUrl must be an address such as "https://api.example/store/v1", or a path, not ${show(address)}`,
  );
}

/** A base path is compared with paths of URLs, so it must not contain characters that a URL would encode. */
function checkBasePath(basePath: string): string {
  if (basePath === "" || basePath === "/") return "";
  const isPath = typeof basePath === "string" && /^(\/[A-Za-z0-9._~!$&'()*+,;=:@-]+)+$/.test(basePath);
  if (!isPath || /\/\.\.?(\/|$)/.test(basePath)) {
    throw new TypeError(
      `Option basePath must be a path such as "/v1", without a slash at its end, not ${show(basePath)}`,
    );
  }
  return basePath;
}

function checkCors(cors: CorsOptions): Cors {
  if (!Array.isArray(cors?.origins) || cors.origins.length === 0) {
    throw new TypeError('Option cors must be { origins: [...] } with at least one origin, or ["*"] for all');
  }
  for (const name of Object.keys(cors)) {
    if (name !== "origins") throw new TypeError(`Unknown member ${name} of option cors; its only member is origins`);
  }
  return createCors(cors);
}

function requireStore(store: PetStore): PetStore {
  if (isPromise(store)) {
    throw new TypeError("Option store is a promise; await it first: store: await createPostgresStore(sql)");
  }
  for (const method of ["create", "get", "list", "check", "close"] as const) {
    if (typeof store?.[method] !== "function") {
      throw new TypeError(`Option store must be a PetStore, such as createMemoryStore(); it has no method ${method}()`);
    }
  }
  return store;
}

function requireStatus(status: PetStatus): PetStatus {
  if (isPetStatus(status)) return status;
  throw new TypeError(`Option defaultStatus must be one of ${PET_STATUSES.join(", ")}, not ${show(status)}`);
}

function requireRequestIds(which: RequestIds): RequestIds {
  if (which === "all" || which === "failures" || which === "none") return which;
  throw new TypeError(`Option requestIds must be all, failures or none, not ${show(which)}`);
}

function checkRateLimit(given: RateLimitOptions): RateLimitOptions {
  if (typeof given !== "object" || given === null) {
    throw new TypeError("Option rateLimit must be an object, such as { requests: 100, windowMs: 60000 }");
  }
  const own = withoutPrototype(given);
  const { requests, windowMs, clientHeader, now, ...others } = own;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new TypeError(`Unknown member ${unknown} of option rateLimit`);
  requireCount("rateLimit.requests", requests);
  requireCount("rateLimit.windowMs", windowMs);
  requireFunction("rateLimit.now", now);
  if (clientHeader !== undefined && !(typeof clientHeader === "string" && /^[\w-]+$/.test(clientHeader))) {
    throw new TypeError(`Option rateLimit.clientHeader must be the name of a header, not ${show(clientHeader)}`);
  }
  return clientHeader === undefined ? own : Object.assign(own, { clientHeader: clientHeader.toLowerCase() });
}

function requireCount(name: string, value: number): number {
  // A timer's delay is an int32. With a larger one, the timer fires at once.
  if (Number.isInteger(value) && value > 0 && value < 2 ** 31) return value;
  throw new TypeError(`Option ${name} must be a whole number from 1 to 2147483647, not ${show(value)}`);
}

function requireFunction<T>(name: string, value: T): T {
  if (value === undefined || typeof value === "function") return value;
  throw new TypeError(`Option ${name} must be a function, not ${show(value)}`);
}

function show(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
