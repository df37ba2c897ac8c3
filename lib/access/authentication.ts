/** Authenticates requests: finds the caller to whom the credentials belong. */

import type { Answer } from "../http/answer.ts";
import type { Caller, Exchange } from "../http/exchange.ts";
import type { Guard } from "../http/pipeline.ts";
import { chain, isPending, type Pending } from "../pending.ts";
import { EXPIRED_KEY, INVALID_KEY, isKeyText, MALFORMED, MISSING_KEY, MISTYPED_KEY } from "./bearer.ts";
import { isMistyped } from "./key_format.ts";
import { ManagedKeys } from "./managed_keys.ts";
import { type KeyOwner, KeyRing } from "./key_ring.ts";
import { type ApiKey, type ApiKeys, checkKeys, type KeyRecord, type KeyVerifier } from "./keys.ts";

/** Checks the key that begins at `start` in an `Authorization` header. */
type KeyCheck = (authorization: string, start: number, exchange: Exchange) => ReturnType<Guard>;

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
  return (exchange) => {
    const authorization = exchange.header("authorization");
    if (authorization === null) return isVerifier ? checkWithoutKey(keys, exchange) : MISSING_KEY.toAnswer();
    const start = tokenStart(authorization);
    return start === undefined ? MALFORMED.toAnswer() : check(authorization, start, exchange);
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

  return (authorization, start, exchange) => {
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
      ? filled.then(() => checkIn(ring!, authorization, start, exchange))
      : checkIn(ring, authorization, start, exchange);
  };
}

function checkByManaged({ followed }: ManagedKeys): KeyCheck {
  return (authorization, start, exchange) => {
    const ring = followed.current();
    return isPending(ring)
      ? ring.then((ring) => checkIn(ring, authorization, start, exchange))
      : checkIn(ring, authorization, start, exchange);
  };
}

function checkIn(ring: KeyRing, authorization: string, start: number, exchange: Exchange): ReturnType<Guard> {
  const owner = ring.find(authorization, start);
  return isPending(owner)
    ? owner.then((owner) => admitOwner(owner, authorization, start, exchange))
    : admitOwner(owner, authorization, start, exchange);
}

/** Admits the caller of a valid key, and refuses an unknown or expired one. */
function admitOwner(
  owner: KeyOwner | undefined,
  authorization: string,
  start: number,
  exchange: Exchange,
): Answer | undefined {
  if (!owner) return refuse(authorization, start);
  // So written that an invalid date, which an app's own store may return, counts as expired.
  if (owner.expires !== Infinity && !(Date.now() < owner.expires)) return EXPIRED_KEY.toAnswer();
  if (owner.use) owner.use.at = Date.now();
  return admit(owner.caller, exchange);
}

function admit(caller: Caller, exchange: Exchange): undefined {
  exchange.caller = caller;
}

function checkByVerifier(verify: KeyVerifier): KeyCheck {
  let ring: KeyRing | undefined;
  return (authorization, start, exchange) => {
    const key = authorization.slice(start);
    if (!isKeyText(key)) return refuse(authorization, start);
    return chain(verify(key, exchange.toRequest()), (verdict): Pending<Answer | undefined> => {
      // Only `true`, not any truthy value: a mistake in a verifier must not accept every key.
      if (verdict === true) return chain((ring ??= new KeyRing()).own(key), (caller) => admit(caller, exchange));
      return isCaller(verdict) ? admit(verdict, exchange) : refuse(authorization, start);
    });
  };
}

function checkWithoutKey(verify: KeyVerifier, exchange: Exchange): Pending<Answer | undefined> {
  return chain(
    verify("", exchange.toRequest()),
    (verdict) => isCaller(verdict) ? admit(verdict, exchange) : MISSING_KEY.toAnswer(),
  );
}

/** Requires an own `id`: with an extended Object.prototype, every object would inherit one. */
function isCaller(verdict: unknown): verdict is Caller {
  if (typeof verdict !== "object" || verdict === null || !Object.hasOwn(verdict, "id")) return false;
  const { id } = verdict as { id: unknown };
  return typeof id === "string" && id !== "";
}

/** Distinguishes a malformed header from a wrong key by its form alone, so the answer reveals nothing about valid keys. */
function refuse(authorization: string, start: number): Answer {
  const token = authorization.slice(start);
  const isMalformed = token === "" || token.includes(" ") || token.includes(",");
  return (isMalformed ? MALFORMED : isMistyped(token) ? MISTYPED_KEY : INVALID_KEY).toAnswer();
}
