/** The options, and the one place where they are checked. */

import { type Authenticate, createAuthenticate } from "../access/authentication.ts";
import type { ApiKeys } from "../access/keys.ts";
import { type Cors, type CorsOptions, createCors } from "../http/cors.ts";
import type { Caller } from "../http/exchange.ts";
import { isPending } from "../pending.ts";
import { isPetStatus, PET_STATUSES, type PetStatus } from "../pet.ts";
import { createMemoryStore } from "../stores/memory/memory_store.ts";
import type { PetStore } from "../stores/store.ts";

/** Options of {@link createPetstore}. */
export interface PetstoreOptions {
  /** The valid API keys, or a function that decides. Several may be valid at once, so keys can be changed without a gap. */
  keys: ApiKeys;
  /** Where the pets are kept: a new {@link createMemoryStore} unless given. The app closes it. */
  store?: PetStore;
  /** The path above all others: `/v1` unless given, `""` for none. */
  basePath?: string;
  /**
   * Where clients reach the base path, if a proxy puts it elsewhere: an address such as `https://api.example/store/v1`, or
   * a path. Links and locations begin with it. Forwarded headers are never trusted.
   */
  publicBaseUrl?: string;
  /** The status of a pet that is sent without one: `available` unless given. */
  defaultStatus?: PetStatus;
  /** The largest request body, in bytes: 1 MiB unless given. */
  maxBodyBytes?: number;
  /** How long a request body may take to arrive, in milliseconds: 15,000 unless given. */
  bodyTimeoutMs?: number;
  /** How long a request with an `Idempotency-Key` is remembered, in milliseconds: 24 hours unless given. */
  idempotencyRetentionMs?: number;
  /** Which web pages of other origins may use the API: none unless given. */
  cors?: CorsOptions;
  /** Answers `GET /store/orders`, after the key check. Without it the answer is 501. */
  handleStoreOrders?: (request: Request, caller: Caller) => Response | Promise<Response>;
  /**
   * Receives the cause of every answer 500 and 503, which the client does not see: `console.error` unless given. It may be
   * asynchronous; no answer waits for it. Its result is ignored, an exception or a rejection too.
   */
  onError?: (error: unknown, request: Request) => unknown;
}

/** Every option, decided and checked. */
export interface Settings extends ContractSettings {
  authenticate: Authenticate;
  store: PetStore;
  cors: Cors | undefined;
  handleStoreOrders: PetstoreOptions["handleStoreOrders"];
  onError: NonNullable<PetstoreOptions["onError"]>;
}

/** The options that show in the interface, so that a description needs them. */
export interface ContractSettings {
  basePath: string;
  /** Where links begin. */
  linkBase: string;
  defaultStatus: PetStatus;
  maxBodyBytes: number;
  bodyTimeoutMs: number;
  idempotencyRetentionMs: number;
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
];

/**
 * Checks the options, so that a mistake shows at start-up and not with the first request.
 *
 * @throws {TypeError} If an option is missing, unknown or of the wrong kind.
 */
export function checkOptions(options: PetstoreOptions): Settings {
  if (typeof options !== "object" || options === null) {
    throw new TypeError("createPetstore() needs options, such as { keys: [key] }");
  }
  requireNames(options, NAMES);
  const own = ownMembers(options);
  const { keys, store, cors, handleStoreOrders, onError } = own;
  return {
    ...checkContract(own),
    authenticate: createAuthenticate(keys),
    store: store === undefined ? createMemoryStore() : requireStore(store),
    cors: cors === undefined ? undefined : checkCors(cors),
    handleStoreOrders: requireFunction("handleStoreOrders", handleStoreOrders),
    onError: requireFunction("onError", onError) ?? ((error) => console.error(error)),
  };
}

/** The same without a prototype: a member that a program has added to Object.prototype is not an option. */
export function ownMembers<T extends object>(options: T): T {
  return Object.assign(Object.create(null), options);
}

/**
 * Checks the options that show in the interface, each unless it is left out.
 *
 * @throws {TypeError} If one is of the wrong kind.
 */
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
  };
}

/**
 * Refuses an unknown option: a misspelt one would be ignored without a word.
 *
 * @throws {TypeError} If there is one.
 */
export function requireNames(options: object, names: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw new TypeError(`Unknown option ${name}; the options are ${names.join(", ")}`);
  }
}

/**
 * A public address, without a slash at its end.
 *
 * @throws {TypeError} If links cannot begin with it.
 */
function checkPublicBaseUrl(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const isPath = typeof address === "string" && address.startsWith("/") && !address.startsWith("//");
  const text = isPath ? `http://h${address}` : String(address);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Links begin with the address as it was written, so a parser must not have to change it.
  const written = url && (isPath ? url.pathname : url.href).replace(/\/$/, "");
  const isPlain = url?.search === "" && url.hash === "" && url.username === "" && url.password === "";
  if (isPlain && /^https?:$/.test(url.protocol) && written === address.replace(/\/$/, "")) return written;
  throw new TypeError(
    `Option publicBaseUrl must be an address such as "https://api.example/store/v1", or a path, not ${show(address)}`,
  );
}

/**
 * A base path that can be compared with a URL: no slash at its end, and no character that a URL would encode.
 *
 * @throws {TypeError} If it is not a path.
 */
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
  if (isPending(store)) {
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

function requireCount(name: string, value: number): number {
  // A timer's delay is an int32; one that is larger fires at once.
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
