import { type Authenticate, createAuthenticate } from "../access/authentication.ts";
import type { RateLimitOptions } from "../access/rate_limit.ts";
import { type Cors, type CorsOptions, createCors } from "../http/cors.ts";
import type { Observer, RequestIds } from "../http/finisher.ts";
import { bodyBytes } from "../http/reply.ts";
import { requestIdOf } from "../http/request_id.ts";
import { callSafely, isPromise } from "../maybe_promise.ts";
import type { OperationSettings } from "../operations/definition.ts";
import { OPERATIONS } from "../operations/table.ts";
import { PET_STATUSES } from "../pet.ts";
import { MemoryStore } from "../stores/memory/memory_store.ts";
import type { PetStore } from "../stores/store.ts";
import { withoutPrototype } from "../without_prototype.ts";
import type { PetstoreOptions } from "./options.ts";

/** The options with their defaults, and what is made of them. */
export interface CheckedOptions extends OperationSettings {
  authenticate: Authenticate;
  basePath: string;
  publicBaseUrl: string | undefined;
  cors: Cors | undefined;
  onError: NonNullable<PetstoreOptions["onError"]>;
  onResponse: Observer | undefined;
  requestIds: RequestIds;
  rateLimit: RateLimitOptions | undefined;
}

/** An absent option is undefined. */
type Check<From, To> = (value: From, name: string) => To;

/** What each option becomes. */
type Made = Omit<CheckedOptions, "authenticate" | "linkBase"> & { keys: Authenticate };

const CHECKS: { [Name in keyof Made]: Check<PetstoreOptions[Name], Made[Name]> } = {
  keys: createAuthenticate,
  store: (store = new MemoryStore()) => requireStore(store),
  basePath: (path = "/v1") => checkBasePath(path),
  publicBaseUrl: checkPublicBaseUrl,
  defaultStatus: oneOf(PET_STATUSES, "available"),
  maxBodyBytes: positiveInteger(1_048_576),
  bodyTimeoutMs: positiveInteger(15_000),
  idempotencyRetentionMs: positiveInteger(86_400_000),
  cors: (cors) => cors === undefined ? cors : checkCors(cors),
  handleStoreOrders: optionalFunction,
  onError: (onError = ({ error }) => console.error(error), name) => optionalFunction(onError, name)!,
  onResponse: (onResponse, name) => createObserver(optionalFunction(onResponse, name)),
  requestIds: oneOf(["all", "failures", "none"], "none"),
  rateLimit: (limit) => limit === undefined ? limit : checkRateLimit(limit),
};

export const OPTION_NAMES: readonly string[] = /* @__PURE__ */ Object.keys(CHECKS);

export function checkOptions(options: PetstoreOptions): CheckedOptions {
  if (typeof options !== "object" || options === null) {
    throw new TypeError("createPetstore() needs options, such as { keys: [key] }");
  }
  const given = withoutPrototype(options);
  // A misspelt option must not be ignored.
  const unknown = Object.keys(given).find((name) => !OPTION_NAMES.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`Unknown option ${unknown}; the options are ${OPTION_NAMES.join(", ")}`);
  }
  const made = {} as Made;
  const check = <Name extends keyof Made>(name: Name) => made[name] = CHECKS[name](given[name], name);
  for (const name of OPTION_NAMES) check(name as keyof Made);
  const { keys, ...checked } = made;
  return { ...checked, authenticate: keys, linkBase: checked.publicBaseUrl ?? checked.basePath };
}

function createObserver(onResponse: PetstoreOptions["onResponse"]): Observer | undefined {
  return onResponse && ((context, reply, startedAt, endedAt) => {
    const { method, route, caller } = context;
    callSafely(() =>
      onResponse({
        method,
        route,
        caller,
        status: reply.status,
        requestId: requestIdOf(context),
        durationMs: endedAt - startedAt,
        bodyBytes: bodyBytes(reply),
      })
    );
  });
}

/** Without a slash at its end. */
function checkPublicBaseUrl(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  if (typeof address === "string") {
    const text = address.replace(/\/$/, "");
    const isPath = /^\/(?!\/)/.test(address);
    const whole = isPath ? `http://h${text}` : text;
    const url = URL.canParse(whole) ? new URL(whole) : undefined;
    // Links begin with the address as given, so it must be in normal form.
    const normal = url && (isPath ? "" : url.origin) + url.pathname.replace(/\/$/, "");
    if (normal === text && url!.protocol.startsWith("http")) return text;
  }
  throw invalid("publicBaseUrl", 'an address such as "https://api.example/v1", or a path', address);
}

/** It is compared with URL paths, so it must not contain characters that URLs encode. */
function checkBasePath(basePath: string): string {
  if (basePath === "" || basePath === "/") return "";
  const isPath = typeof basePath === "string" && /^(\/[A-Za-z0-9._~!$&'()*+,;=:@-]+)+$/.test(basePath);
  if (isPath && !/\/\.\.?(\/|$)/.test(basePath)) return basePath;
  throw invalid("basePath", 'a path such as "/v1", without a slash at its end', basePath);
}

function checkCors(cors: CorsOptions): Cors {
  const { origins } = requireObject("cors", cors, '{ origins: ["*"] }', ["origins"]);
  if (!Array.isArray(origins) || origins.length === 0) {
    throw invalid("cors.origins", 'a list with at least one origin, such as ["*"]', origins);
  }
  return createCors(origins, OPERATIONS.flatMap(({ method }) => method === "GET" ? [method, "HEAD"] : [method]));
}

function checkRateLimit(given: RateLimitOptions): RateLimitOptions {
  const members = ["requests", "windowMs", "clientHeader"] as const;
  const limit = requireObject("rateLimit", given, "{ requests: 100, windowMs: 60000 }", members);
  const { requests, windowMs, clientHeader } = limit;
  positiveInteger()(requests, "rateLimit.requests");
  positiveInteger()(windowMs, "rateLimit.windowMs");
  if (clientHeader !== undefined && (typeof clientHeader !== "string" || !/^[\w-]+$/.test(clientHeader))) {
    throw invalid("rateLimit.clientHeader", "the name of a header", clientHeader);
  }
  return Object.assign(limit, { clientHeader: clientHeader?.toLowerCase() });
}

function requireStore(store: PetStore): PetStore {
  const missing = (["create", "get", "list", "check", "close"] as const)
    .find((method) => typeof store?.[method] !== "function");
  if (missing === undefined) return store;
  const reason = isPromise(store) ? "await it first" : `it has no method ${missing}()`;
  throw new TypeError(`Option store must be a PetStore, such as createMemoryStore(); ${reason}`);
}

function requireObject<T extends object>(name: string, value: T, example: string, members: readonly string[]): T {
  if (typeof value !== "object" || value === null) throw invalid(name, `an object, such as ${example}`, value);
  const unknown = Object.keys(value).find((member) => !members.includes(member));
  if (unknown === undefined) return withoutPrototype(value);
  throw new TypeError(`Unknown member ${unknown} of option ${name}`);
}

function oneOf<T>(allowed: readonly T[], fallback: T): Check<T | undefined, T> {
  return (value = fallback, name) => {
    if (allowed.includes(value)) return value;
    throw invalid(name, `one of ${allowed.join(", ")}`, value);
  };
}

function positiveInteger(fallback?: number): Check<number | undefined, number> {
  return (value = fallback, name) => {
    // A timer with a longer delay than an int32 fires at once.
    if (Number.isInteger(value) && value! > 0 && value! < 2 ** 31) return value!;
    const type = typeof value === "number" ? RangeError : TypeError;
    throw invalid(name, "a whole number from 1 to 2147483647", value, type);
  };
}

function optionalFunction<T>(value: T, name: string): T {
  if (value === undefined || typeof value === "function") return value;
  throw invalid(name, "a function", value);
}

function invalid(name: string, wanted: string, value: unknown, type: ErrorConstructor = TypeError): Error {
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  return new type(`Option ${name} must be ${wanted}, not ${shown}`);
}
