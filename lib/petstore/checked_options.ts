/**
 * Checks the options of a petstore when it is made, and completes them with their defaults, so that
 * no request meets a wrong one. The server calls it too, for the description of a petstore that it
 * does not start.
 */

import {
  checkAll,
  type Checks,
  invalid,
  oneOf,
  option,
  optionalFunction,
  requireMethods,
  wholeNumber,
} from "../option_checks.ts";
import { type Authenticate, createAuthenticate } from "../access/authentication.ts";
import { areOrigins, type Cors, type CorsOptions, createCors } from "../http/cors.ts";
import { MAX_MEMORY } from "../http/body_stream.ts";
import type { Observer, RequestIds } from "../http/finisher.ts";
import { bodyBytes } from "../http/reply.ts";
import { methodsOf } from "../http/router.ts";
import { requestIdOf } from "../http/request_id.ts";
import { callSafely } from "../promises.ts";
import type { Deprecation, DeprecationOptions, OperationSettings } from "../operations/definition.ts";
import { OPERATIONS } from "../operations/table.ts";
import { PET_STATUSES } from "../pet.ts";
import { MemoryStore } from "../stores/memory/memory_store.ts";
import type { PetStore } from "../stores/store.ts";
import { addressOr, basePathOr } from "./address_checks.ts";
import type { PetstoreOptions, Stability } from "./options.ts";

/** The options with their defaults, and what is made of them. */
export interface CheckedOptions extends OperationSettings {
  keys: {
    authenticate: Authenticate;
    /** Whether a client may be known by something other than the field Authorization, such as a cookie. */
    mayLackAuthorization: boolean;
  };
  cors: Cors | undefined;
  onError: NonNullable<PetstoreOptions["onError"]>;
  onResponse: Observer | undefined;
  requestIds: RequestIds;
  /** The label of each operation that has one. */
  stability: Labels;
}

type Labels = Readonly<Record<string, Stability | undefined>>;

export function checkOptions(options: PetstoreOptions): CheckedOptions {
  return checkAll(OPTION_CHECKS, options);
}

/** Checks one option alone, for a program that makes it of a flag. */
export function checkOption<Name extends keyof CheckedOptions>(name: Name, given: PetstoreOptions[Name]): void {
  OPTION_CHECKS[name](given, name);
}

/** A check for each option. `wholeNumber(65_536)`, for example, makes a check whose default is 65,536. */
const OPTION_CHECKS: Checks<PetstoreOptions, CheckedOptions> = {
  // A verifier sees the whole request, so it may accept one without Authorization.
  keys: (keys) => ({ authenticate: createAuthenticate(keys), mayLackAuthorization: typeof keys === "function" }),
  store: checkStore,
  basePath: basePathOr("/v1"),
  publicBaseUrl: addressOr(undefined),
  defaultStatus: oneOf(PET_STATUSES, "available"),
  maxBodyBytes: wholeNumber(65_536, MAX_MEMORY),
  bodyTimeoutMs: wholeNumber(15_000),
  idempotencyRetentionMs: wholeNumber(86_400_000),
  cors: checkCors,
  handleStoreOrders: optionalFunction<PetstoreOptions["handleStoreOrders"]>(undefined),
  onError: optionalFunction(({ error }) => console.error(error)),
  onResponse: checkObserver,
  requestIds: oneOf(["all", "failures", "none"], "failures"),
  deprecation: checkDeprecation,
  stability: (labels = {}, name) => checkAll(STABILITY_CHECKS, labels, name),
};

function checkStore(store: PetStore = new MemoryStore(), name: string): PetStore {
  const methods = ["create", "get", "list", "check", "close"] as const;
  return requireMethods(store, methods, name, "a PetStore such as createMemoryStore()");
}

function checkCors(options: CorsOptions | undefined, name: string): Cors | undefined {
  if (options === undefined) return undefined;
  return createCors(checkAll(CORS_CHECKS, options, name).origins, methodsOf(OPERATIONS));
}

const CORS_CHECKS: Checks<CorsOptions, CorsOptions> = {
  origins: (given, name) => {
    // The check and the use see one copy. The same holds for the other options that are lists or dates.
    const origins = Array.isArray(given) ? [...given] : given;
    if (areOrigins(origins)) return origins;
    throw invalid(name, 'a list of origins such as "https://app.example", or ["*"]', origins);
  },
};

const OPTIONAL_OBSERVER = optionalFunction<PetstoreOptions["onResponse"]>(undefined);

/** Checks the option, and makes an observer of it that tells the app of each reply. */
function checkObserver(given: PetstoreOptions["onResponse"], name: string): Observer | undefined {
  const onResponse = OPTIONAL_OBSERVER(given, name);
  if (!onResponse) return undefined;
  return (context, reply, startedAt, endedAt) => {
    const { method, route, caller } = context;
    callSafely(() =>
      onResponse({
        method,
        route,
        caller,
        status: reply.status,
        code: reply.code,
        requestId: requestIdOf(context),
        durationMs: endedAt - startedAt,
        bodyBytes: bodyBytes(reply),
      })
    );
  };
}

function checkDeprecation(given: DeprecationOptions | false = {}, name: string): Deprecation | false {
  if (given === false) return false;
  const deprecation = checkAll(DEPRECATION_CHECKS, given, name);
  const { since, sunset } = deprecation;
  // An operation cannot end before it is deprecated (RFC 9745 §4).
  if (sunset >= since) return deprecation;
  throw invalid(`${name}.sunset`, `at ${since.toISOString()} or later, as since is`, sunset.toISOString(), RangeError);
}

const DEPRECATION_CHECKS: Checks<DeprecationOptions, Deprecation> = {
  since: dateOr("2026-11-20"),
  sunset: dateOr("2030-12-05"),
  successor: addressOr("/pets"),
  gone: oneOf([true, false], false),
};

/** Makes the check of a `Date`. The years are those that an HTTP date can have. */
function dateOr(fallback: string) {
  const parse = (given: unknown) => {
    if (!(given instanceof Date)) return undefined;
    const year = given.getUTCFullYear();
    const isValid = year >= 0 && year <= 9999;
    // The date is a copy, because the caller may change its own.
    return isValid ? new Date(given) : undefined;
  };
  return option("a Date from the year 0 to 9999", parse, new Date(fallback));
}

const STABILITY_CHECKS: Checks<Labels, Labels> = /* @__PURE__ */ Object.fromEntries(
  OPERATIONS.map(({ id }) => [id, oneOf<Stability | undefined>(["experimental", "alpha", "beta"], undefined)]),
);
