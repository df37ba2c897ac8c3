/**
 * Finds out who sends a request, from the field Authorization, and whether that caller may do what
 * the request asks for. The key is looked up among the valid ones, or a function of the app
 * verifies it.
 */

import type { Caller, RequestContext } from "../http/context.ts";
import type { Effect } from "../http/operation.ts";
import type { Problem } from "../http/problem.ts";
import { chain, type MaybePromise } from "../promises.ts";
import { EXPIRED_KEY, MISSING_KEY, OTHER_SCHEME, READ_ONLY_KEY, refusalOf } from "./refusals.ts";
import type { FindingKeyManager, FindKey, KeyManager } from "./key_manager.ts";
import { AcceptedKeys, type KeyOwner, type KeyRecord, KeyRing } from "./key_ring.ts";
import { isKeyText } from "./key_text.ts";
import { type ApiKeys, checkKeys, type KeyVerifier } from "./keys_option.ts";

export type Authenticate = (context: RequestContext) => MaybePromise<Caller | Problem>;

/** Finds the caller of a request, by one form of the option `keys`: a list, a key manager or a verifier. */
interface CallerFinder {
  /** Finds the caller of a request without the field Authorization. */
  withoutKey(context: RequestContext): MaybePromise<Caller | Problem>;
  /**
   * Finds the caller of a request with a key.
   *
   * @param key What stands after `Bearer` in the field Authorization. It need not have the form of
   * a key.
   */
  withKey(key: string, context: RequestContext): MaybePromise<Caller | Problem>;
}

export function createAuthenticate(keys: ApiKeys): Authenticate {
  const finder = createFinder(keys);
  return (context) => {
    const authorization = context.header("authorization");
    if (authorization === null) return finder.withoutKey(context);
    const key = bearerToken(authorization);
    return key === undefined ? OTHER_SCHEME : finder.withKey(key, context);
  };
}

/** The token of a header of the scheme Bearer. It is undefined if the header has another scheme. */
function bearerToken(authorization: string): string | undefined {
  // For speed, the usual form is compared first.
  const isBearer = authorization.startsWith("Bearer ") || authorization.slice(0, 7).toLowerCase() === "bearer ";
  if (!isBearer) return undefined;
  let start = 7;
  while (authorization.charCodeAt(start) === 0x20) start++;
  return authorization.slice(start);
}

function createFinder(keys: ApiKeys): CallerFinder {
  if (typeof keys === "function") return finderByVerifier(keys);
  // An app gets its key manager from `createKeyManager()`, whose managers all have the method that
  // the public type lacks.
  if (isKeyManager(keys)) return finderByOwner((keys as FindingKeyManager).findKey);
  const getRing = lazyRing(checkKeys(keys));
  return finderByOwner((key) => chain(getRing(), (ring) => ring.find(key)));
}

/**
 * Whether the option is a key manager of this library. It is recognized by its method and not by
 * `instanceof`, so that the bundle of an app without one need not have its class. JavaScript
 * permits an app to leave the option out.
 */
function isKeyManager(keys: ApiKeys | undefined): keys is KeyManager {
  return (keys as Partial<FindingKeyManager> | undefined)?.findKey !== undefined;
}

/**
 * Returns a function that gives the ring of a list of keys. The ring is made at the first request,
 * because it needs a random seed, and Workers give no random numbers at start-up.
 *
 * @param records The list is emptied when the ring is there, so that its keys do not stay in memory
 * twice.
 */
function lazyRing(records: KeyRecord[]): () => MaybePromise<KeyRing> {
  /**
   * The ring, or its promise while it is being made: requests that find the ring need not wait for
   * a turn of the microtask queue.
   */
  let ring: MaybePromise<KeyRing> | undefined;

  async function make(): Promise<KeyRing> {
    ring = await new KeyRing().add(records);
    records.length = 0;
    return ring;
  }

  return () => ring ??= make();
}

function finderByOwner(findKey: FindKey): CallerFinder {
  return {
    withoutKey: () => MISSING_KEY,
    withKey: (key, context) => chain(findKey(key, context), (owner) => callerOf(owner, key)),
  };
}

function callerOf(owner: KeyOwner | undefined, key: string): Caller | Problem {
  if (!owner) return refusalOf(key);
  // For speed, the clock is not read for a key without an end.
  if (owner.expires === Infinity) return owner.caller;
  // A key whose date of expiry is invalid counts as expired: the comparison with `NaN` is false.
  return Date.now() < owner.expires ? owner.caller : EXPIRED_KEY;
}

/**
 * Asks the app's verifier about each request, also about one without a key: the app may know the
 * caller by a cookie.
 */
function finderByVerifier(verify: KeyVerifier): CallerFinder {
  /**
   * The callers of keys that the verifier accepts by `true`, and so without naming a caller. The
   * object is made when it is first needed, because it needs a random seed.
   */
  let accepted: AcceptedKeys | undefined;
  return {
    withoutKey(context) {
      return chain(verify(undefined, context.toRequest()), (verdict) => {
        // The verdict `true` accepts a key. Without one, it names no caller, so the request is refused.
        return callerOfVerdict(verdict) ?? MISSING_KEY;
      });
    },
    withKey(key, context) {
      if (!isKeyText(key)) return refusalOf(key);
      return chain(verify(key, context.toRequest()), (verdict): MaybePromise<Caller | Problem> => {
        // Only `true` and a caller accept. A mistake in a verifier may return any other value,
        // which must not accept every key.
        if (verdict !== true) return callerOfVerdict(verdict) ?? refusalOf(key);
        accepted ??= new AcceptedKeys();
        return accepted.callerOf(key);
      });
    },
  };
}

/**
 * Turns what a verifier returns into a caller. The result is undefined if it is no object, and so
 * names no caller. The caller is a copy, because a member of the app's object may have another
 * value when it is read again. A misspelt `readOnly` must not give the right to write, so no other
 * member is allowed, as in the record of a key.
 *
 * @throws {TypeError} If an object is no caller, such as one with a number as its id. The client
 * gets 500, and the app is told.
 */
function callerOfVerdict(verdict: unknown): Caller | undefined {
  if (typeof verdict !== "object" || verdict === null) return undefined;
  const { id, readOnly = false, ...others } = verdict as Partial<Caller>;
  const isNamed = typeof id === "string" && id !== "";
  if (isNamed && typeof readOnly === "boolean" && Object.keys(others).length === 0) return { id, readOnly };
  throw new TypeError("A key verifier returns a caller with a text as its id, and readOnly alone");
}

/** Whether a caller may do what an operation does. The result is the refusal if not. */
export function authorize({ readOnly }: Caller, effect: Effect): Problem | undefined {
  return readOnly && effect !== "reads" ? READ_ONLY_KEY : undefined;
}
