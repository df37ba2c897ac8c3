import { type Authenticate, createAuthenticate } from "../access/authentication.ts";
import type { RateLimitOptions } from "../access/rate_limit.ts";
import { areOrigins, type Cors, type CorsOptions, createCors } from "../http/cors.ts";
import type { Observer, RequestIds } from "../http/finisher.ts";
import { bodyBytes } from "../http/reply.ts";
import { methodsOf } from "../http/router.ts";
import { requestIdOf } from "../http/request_id.ts";
import { callSafely } from "../maybe_promise.ts";
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

/** Stands in for the origin of a path. */
const ORIGIN = "http://h";

/** An absent option is undefined. */
export type Check<Given, To> = (given: Given, name: string) => To;

export type Checks<Given, To> = { [Name in keyof To & keyof Given]: Check<Given[Name], To[Name]> };

type Made = Omit<CheckedOptions, "authenticate" | "linkBase"> & { keys: Authenticate };

const CORS: Checks<CorsOptions, CorsOptions> = {
  origins: (origins, name) => {
    if (areOrigins(origins)) return origins;
    throw invalid(name, 'a list of origins such as "https://app.example", or ["*"]', origins);
  },
};

const RATE_LIMIT: Checks<RateLimitOptions, RateLimitOptions> = {
  requests: wholeNumber(),
  windowMs: wholeNumber(),
  clientHeader: text("the name of a header", (name) => /^[\w-]+$/.test(name) && name.toLowerCase(), undefined),
};

const CHECKS: Checks<PetstoreOptions, Made> = {
  keys: createAuthenticate,
  store: (store = new MemoryStore(), name) => requireStore(store, name),
  basePath: text('a path such as "/v1", without a slash at its end', basePathOf, "/v1"),
  publicBaseUrl: text('an address such as "https://api.example/v1", or a path', baseUrlOf, undefined),
  defaultStatus: oneOf(PET_STATUSES, "available"),
  maxBodyBytes: wholeNumber(1_048_576),
  bodyTimeoutMs: wholeNumber(15_000),
  idempotencyRetentionMs: wholeNumber(86_400_000),
  cors: (cors, name) => {
    if (cors === undefined) return cors;
    return createCors(checkAll(CORS, cors, name, '{ origins: ["*"] }').origins, methodsOf(OPERATIONS));
  },
  handleStoreOrders: optionalFunction<PetstoreOptions["handleStoreOrders"]>(undefined),
  onError: optionalFunction(({ error }) => console.error(error)),
  onResponse: (onResponse, name) =>
    createObserver(optionalFunction<PetstoreOptions["onResponse"]>(undefined)(onResponse, name)),
  requestIds: oneOf(["all", "failures", "none"], "none"),
  rateLimit: (limit, name) => {
    return limit === undefined ? limit : checkAll(RATE_LIMIT, limit, name, "{ requests: 100, windowMs: 60000 }");
  },
};

export const OPTION_NAMES: readonly string[] = /* @__PURE__ */ Object.keys(CHECKS);

export function checkOptions(options: PetstoreOptions): CheckedOptions {
  const { keys, ...made } = checkAll(CHECKS, options, "", "{ keys: [key] }");
  return { ...made, authenticate: keys, linkBase: made.publicBaseUrl ?? made.basePath };
}

/** @param within The option with these members. */
export function checkAll<Given extends object, To>(
  checks: Checks<Given, To>,
  given: Given,
  within: string,
  example: string,
): To {
  if (typeof given !== "object" || given === null) throw invalid(within, `an object, such as ${example}`, given);
  const own = withoutPrototype(given), names = Object.keys(checks), prefix = within && `${within}.`;
  const unknown = Object.keys(own).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`Unknown option ${prefix}${unknown}; the options are ${names.join(", ")}`);
  }
  const made = {} as To;
  const check = <Name extends keyof To & keyof Given>(name: Name) =>
    made[name] = checks[name](own[name], `${prefix}${String(name)}`);
  for (const name of names) check(name as keyof To & keyof Given);
  return made;
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

/** Links begin with it, so it must be in normal form. */
function baseUrlOf(address: string): string | false {
  const text = address.replace(/\/$/, "");
  const url = address === "" ? null : URL.parse(text, ORIGIN);
  const normal = url && (url.origin + url.pathname).replace(/\/$/, "");
  return (normal === text || normal === ORIGIN + text) && url!.protocol.startsWith("http") && text;
}

/** It is compared with URL paths, so it must not contain characters that URLs encode. */
function basePathOf(path: string): string | false {
  if (path === "/") return "";
  return /^(\/[A-Za-z0-9._~!$&'()*+,;=:@-]+)*$/.test(path) && !/\/\.\.?(\/|$)/.test(path) && path;
}

function requireStore(store: PetStore, name: string): PetStore {
  const missing = (["create", "get", "list", "check", "close"] as const)
    .find((method) => typeof store?.[method] !== "function");
  if (missing === undefined) return store;
  throw invalid(name, `a PetStore with ${missing}(), such as createMemoryStore()`, store);
}

/** @param parse `false` is a wrong value. */
export function option<Made, Absent>(
  wanted: string,
  parse: (given: unknown) => Made | false,
  absent: Absent,
): (given: unknown, name: string) => Made | Absent {
  return (given, name) => {
    const made = given === undefined ? absent : parse(given);
    if (made !== false) return made;
    throw invalid(name, wanted, given);
  };
}

function text<Absent>(wanted: string, parse: (given: string) => string | false, absent: Absent) {
  return option(wanted, (given) => typeof given === "string" && parse(given), absent);
}

function oneOf<T>(allowed: readonly T[], absent: T): Check<T | undefined, T> {
  return option(`one of ${allowed.join(", ")}`, (given) => allowed.includes(given as T) && given as T, absent);
}

function optionalFunction<T>(absent: T): Check<T | undefined, T> {
  return option("a function", (given) => typeof given === "function" && given as T, absent);
}

export function wholeNumber(absent?: number): Check<number | undefined, number> {
  return (given = absent, name) => {
    // A timer with a longer delay than an int32 fires at once.
    if (Number.isInteger(given) && given! > 0 && given! < 2 ** 31) return given!;
    const type = typeof given === "number" ? RangeError : TypeError;
    throw invalid(name, "a whole number from 1 to 2147483647", given, type);
  };
}

function invalid(name: string, wanted: string, given: unknown, type: ErrorConstructor = TypeError): Error {
  const shown = typeof given === "string" ? JSON.stringify(given) : String(given);
  return new type(`${name ? `Option ${name}` : "The options"} must be ${wanted}, not ${shown}`);
}
