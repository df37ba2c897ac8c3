/** Authenticates requests: finds the caller to whom the credentials belong. */

import type { Reply } from "../http/reply.ts";
import type { Caller, RequestContext } from "../http/context.ts";
import type { Guard } from "../http/pipeline.ts";
import { chain, isPromise, type MaybePromise } from "../maybe_promise.ts";
import { EXPIRED_KEY, INVALID_KEY, isKeyText, MALFORMED, MISSING_KEY, MISTYPED_KEY } from "./bearer.ts";
import { isMistyped } from "./key_format.ts";
import { ManagedKeys } from "./managed_keys.ts";
import { type KeyOwner, KeyRing } from "./key_ring.ts";
import { type ApiKey, type ApiKeys, checkKeys, type KeyRecord, type KeyVerifier } from "./keys.ts";

/** Checks the key that begins at `start` in an `Authorization` header. */
type KeyCheck = (authorization: string, start: number, context: RequestContext) => ReturnType<Guard>;

/**
 * Creates the guard that sets the caller of a request, or refuses it.
 *
 * @throws {TypeError} If there is no key, or a key is invalid. The message never contains a key.
 */
export function createAuthenticate(keys: ApiKeys): Guard {
  const isVerifier = typeof keys === "function";
  const check = isVerifier
    ? checkByVerifier(keys)
    : keys instanceof ManagedKeys
    ? checkByManaged(keys)
    : checkByRing(checkKeys(keys as Iterable<string | ApiKey>));
  return (context) => {
    const authorization = context.header("authorization");
    if (authorization === null) return isVerifier ? checkWithoutKey(keys, context) : MISSING_KEY.toReply();
    const start = tokenStart(authorization);
    return start === undefined ? MALFORMED.toReply() : check(authorization, start, context);
  };
}

/** The index of the token in `Bearer <token>`, with the scheme in any case (RFC 9110 §11.1); `undefined` otherwise. */
function tokenStart(authorization: string): number | undefined {
  if (!authorization.startsWith("Bearer ") && authorization.slice(0, 7).toLowerCase() !== "bearer ") return undefined;
  let start = 7;
  while (authorization.charCodeAt(start) === 0x20) start++;
  return start;
}

function checkByRing(records: KeyRecord[]): KeyCheck {
  // Created with the first request, because Workers, for example, provide no random numbers earlier.
  let ring: KeyRing | undefined;
  let filled: Promise<void> | undefined;

  return (authorization, start, context) => {
    if (!ring) {
      ring = new KeyRing();
      filled = ring.add(records).then(() => {
        // From here on, only the app's own list has the keys in clear text.
        records.length = 0;
        filled = undefined;
      }, (thrown) => {
        // The next request retries.
        ring = filled = undefined;
        throw thrown;
      });
    }
    return filled
      ? filled.then(() => checkIn(ring!, authorization, start, context))
      : checkIn(ring, authorization, start, context);
  };
}

function checkByManaged({ followed }: ManagedKeys): KeyCheck {
  return (authorization, start, context) => {
    const ring = followed.current();
    return isPromise(ring)
      ? ring.then((ring) => checkIn(ring, authorization, start, context))
      : checkIn(ring, authorization, start, context);
  };
}

function checkIn(ring: KeyRing, authorization: string, start: number, context: RequestContext): ReturnType<Guard> {
  const owner = ring.find(authorization, start);
  return isPromise(owner)
    ? owner.then((owner) => admitOwner(owner, authorization, start, context))
    : admitOwner(owner, authorization, start, context);
}

/** Admits the caller of a valid key, and refuses an unknown or expired one. */
function admitOwner(
  owner: KeyOwner | undefined,
  authorization: string,
  start: number,
  context: RequestContext,
): Reply | undefined {
  if (!owner) return refuse(authorization, start);
  // So written that an invalid date, which an app's own store may return, counts as expired.
  if (owner.expires !== Infinity && !(Date.now() < owner.expires)) return EXPIRED_KEY.toReply();
  if (owner.use) owner.use.at = Date.now();
  return admit(owner.caller, context);
}

function admit(caller: Caller, context: RequestContext): undefined {
  context.caller = caller;
}

function checkByVerifier(verify: KeyVerifier): KeyCheck {
  let ring: KeyRing | undefined;
  return (authorization, start, context) => {
    const key = authorization.slice(start);
    if (!isKeyText(key)) return refuse(authorization, start);
    return chain(verify(key, context.toRequest()), (verdict): MaybePromise<Reply | undefined> => {
      // Only `true`, not any truthy value: a mistake in a verifier must not accept every key.
      if (verdict === true) return chain((ring ??= new KeyRing()).own(key), (caller) => admit(caller, context));
      return isCaller(verdict) ? admit(verdict, context) : refuse(authorization, start);
    });
  };
}

function checkWithoutKey(verify: KeyVerifier, context: RequestContext): MaybePromise<Reply | undefined> {
  return chain(
    verify("", context.toRequest()),
    (verdict) => isCaller(verdict) ? admit(verdict, context) : MISSING_KEY.toReply(),
  );
}

/** Requires an own `id`: with an extended Object.prototype, every object would inherit one. */
function isCaller(verdict: unknown): verdict is Caller {
  if (typeof verdict !== "object" || verdict === null || !Object.hasOwn(verdict, "id")) return false;
  const { id } = verdict as { id: unknown };
  return typeof id === "string" && id !== "";
}

/** Distinguishes a malformed header from a wrong key by its form alone, so the response reveals nothing about valid keys. */
function refuse(authorization: string, start: number): Reply {
  const token = authorization.slice(start);
  const isMalformed = token === "" || token.includes(" ") || token.includes(",");
  return (isMalformed ? MALFORMED : isMistyped(token) ? MISTYPED_KEY : INVALID_KEY).toReply();
}
