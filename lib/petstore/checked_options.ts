import { type Authenticate, createAuthenticate } from "../access/authentication.ts";
import { areOrigins, type Cors, type CorsOptions, createCors } from "../http/cors.ts";
import type { Observer, RequestIds } from "../http/finisher.ts";
import { bodyBytes } from "../http/reply.ts";
import { methodsOf } from "../http/router.ts";
import { requestIdOf } from "../http/request_id.ts";
import { callSafely } from "../maybe_promise.ts";
import type { Deprecation, DeprecationOptions, OperationSettings } from "../operations/definition.ts";
import { OPERATIONS } from "../operations/table.ts";
import { PET_STATUSES } from "../pet.ts";
import { MemoryStore } from "../stores/memory/memory_store.ts";
import type { PetStore } from "../stores/store.ts";
import type { PetstoreOptions, Stability } from "./options.ts";

/** The options with their defaults, and what is made of them. */
export interface CheckedOptions extends OperationSettings {
  authenticate: Authenticate;
  basePath: string;
  publicBaseUrl: string | undefined;
  cors: Cors | undefined;
  onError: NonNullable<PetstoreOptions["onError"]>;
  onResponse: Observer | undefined;
  requestIds: RequestIds;
  /** By operation. */
  stability: Labels;
}

type Labels = Readonly<Record<string, Stability | undefined>>;

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

const DEPRECATION: Checks<DeprecationOptions, Deprecation> = {
  since: day("2026-11-20"),
  sunset: day("2030-12-05"),
  successor: address("/pets"),
  gone: oneOf([true, false], false),
};

const STABILITY: Checks<Labels, Labels> = /* @__PURE__ */ Object.fromEntries(
  OPERATIONS.map(({ id }) => [id, oneOf<Stability | undefined>(["experimental", "alpha", "beta"], undefined)]),
);

const CHECKS: Checks<PetstoreOptions, Made> = {
  keys: createAuthenticate,
  store: (store = new MemoryStore(), name) => requireStore(store, name),
  basePath: text('a path such as "/v1", without a slash at its end', basePathOf, "/v1"),
  publicBaseUrl: address(undefined),
  defaultStatus: oneOf(PET_STATUSES, "available"),
  maxBodyBytes: wholeNumber(1_048_576),
  bodyTimeoutMs: wholeNumber(15_000),
  idempotencyRetentionMs: wholeNumber(86_400_000),
  cors: (cors, name) => {
    if (cors === undefined) return cors;
    return createCors(checkAll(CORS, cors, name).origins, methodsOf(OPERATIONS));
  },
  handleStoreOrders: optionalFunction<PetstoreOptions["handleStoreOrders"]>(undefined),
  onError: optionalFunction(({ error }) => console.error(error)),
  onResponse: (onResponse, name) =>
    createObserver(optionalFunction<PetstoreOptions["onResponse"]>(undefined)(onResponse, name)),
  requestIds: oneOf(["all", "failures", "none"], "none"),
  deprecation: (given = {}, name) => given !== false && checkAll(DEPRECATION, given, name),
  stability: (labels = {}, name) => checkAll(STABILITY, labels, name),
};

export const OPTION_NAMES: readonly string[] = /* @__PURE__ */ Object.keys(CHECKS);

export function checkOptions(options: PetstoreOptions): CheckedOptions {
  const { keys, ...made } = checkAll(CHECKS, options, "");
  return { ...made, authenticate: keys, linkBase: made.publicBaseUrl ?? made.basePath };
}

/** @param within The option with these members. */
export function checkAll<Given extends object, To>(
  checks: Checks<Given, To>,
  given: Given,
  within: string,
): To {
  const names = Object.keys(checks), list = names.join(", "), prefix = within && `${within}.`;
  if (typeof given !== "object" || given === null) throw invalid(within, `an object of ${list}`, given);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`Unknown option ${prefix}${unknown}; the options are ${list}`);
  }
  const made = {} as To;
  for (const name of names as (keyof To & keyof Given & string)[]) {
    made[name] = checks[name](given[name], prefix + name);
  }
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

/** It becomes a part of links, so it must be in normal form. */
function addressOf(address: string): string | false {
  const text = address.replace(/\/$/, "");
  const url = address === "" ? null : URL.parse(text, ORIGIN);
  const normal = url && (url.origin + url.pathname).replace(/\/$/, "");
  return (normal === text || normal === ORIGIN + text) && url!.protocol.startsWith("http") && text;
}

/** It is compared with decoded paths. */
function basePathOf(path: string): string | false {
  return path === "" || path === "/" ? "" : /^(\/[^%/]+)+$/.test(path) && addressOf(path);
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
    if (given === undefined || given === absent) return absent;
    const made = parse(given);
    if (made !== false) return made;
    throw invalid(name, wanted, given);
  };
}

export function text<Absent>(wanted: string, parse: (given: string) => string | false, absent: Absent) {
  return option(wanted, (given) => typeof given === "string" && parse(given), absent);
}

function address<Absent>(absent: Absent) {
  return text('an address such as "https://api.example/v1", or a path', addressOf, absent);
}

function oneOf<T>(allowed: readonly T[], absent: T): Check<T | undefined, T> {
  return option(`one of ${allowed.join(", ")}`, (given) => allowed.includes(given as T) && given as T, absent);
}

function day(absent: string) {
  return option("a Date", (given) => given instanceof Date && !isNaN(+given) && given, new Date(absent));
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
