/** Authenticates requests: finds the caller to whom the credentials belong. */

import type { HttpError } from "../http/errors.ts";
import type { Caller, Exchange } from "../http/exchange.ts";
import { chain, type Pending } from "../pending.ts";
import { EXPIRED_KEY, INVALID_KEY, isKeyText, MALFORMED, MISSING_KEY, tokenStart } from "./bearer.ts";
import { type KeyOwner, KeyRing } from "./key_ring.ts";
import { type ApiKeys, checkKeys, type KeyRecord, type KeyVerifier } from "./keys.ts";

/** Finds the caller of a request, or the reason to refuse it. */
export type Authenticate = (exchange: Exchange) => Pending<Caller | HttpError>;

/** Finds the caller of the key that begins at `start` in an `Authorization` header. */
type Recognise = (authorization: string, start: number, exchange: Exchange) => Pending<Caller | HttpError>;

/**
 * Creates the authentication for a set of keys.
 *
 * @throws {TypeError} If there is no key, or a key is invalid. The message never contains a key.
 */
export function createAuthenticate(keys: ApiKeys): Authenticate {
  const isVerifier = typeof keys === "function";
  const recognise = isVerifier ? recogniseByVerifier(keys) : recogniseByRing(checkKeys(keys));
  return (exchange) => {
    const authorization = exchange.header("authorization");
    if (authorization === null) return isVerifier ? recogniseWithoutKey(keys, exchange) : MISSING_KEY;
    const start = tokenStart(authorization);
    return start === undefined ? MALFORMED : recognise(authorization, start, exchange);
  };
}

function recogniseByRing(records: KeyRecord[]): Recognise {
  // Created with the first request, because Workers, for example, provide no random numbers earlier.
  let ring: KeyRing | undefined;
  let filled: Promise<void> | undefined;

  function check(authorization: string, start: number): Pending<Caller | HttpError> {
    return chain(ring!.find(authorization, start), (owner) => judge(owner, authorization, start));
  }

  return (authorization, start) => {
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
    return filled ? filled.then(() => check(authorization, start)) : check(authorization, start);
  };
}

/** Returns the caller of a valid key, and refuses an unknown or expired one. */
function judge(owner: KeyOwner | undefined, authorization: string, start: number): Caller | HttpError {
  if (!owner) return refusal(authorization, start);
  return owner.expires === Infinity || Date.now() < owner.expires ? owner.caller : EXPIRED_KEY;
}

function recogniseByVerifier(verify: KeyVerifier): Recognise {
  let ring: KeyRing | undefined;
  return (authorization, start, exchange) => {
    const key = authorization.slice(start);
    if (!isKeyText(key)) return refusal(authorization, start);
    return chain(verify(key, exchange.toRequest()), (verdict) => {
      // Only `true`, not any truthy value: a mistake in a verifier must not accept every key.
      if (verdict === true) return (ring ??= new KeyRing()).own(key);
      return isCaller(verdict) ? verdict : refusal(authorization, start);
    });
  };
}

function recogniseWithoutKey(verify: KeyVerifier, exchange: Exchange): Pending<Caller | HttpError> {
  return chain(verify("", exchange.toRequest()), (verdict) => isCaller(verdict) ? verdict : MISSING_KEY);
}

/** Requires an own `id`: with an extended Object.prototype, every object would inherit one. */
function isCaller(verdict: unknown): verdict is Caller {
  if (typeof verdict !== "object" || verdict === null || !Object.hasOwn(verdict, "id")) return false;
  const { id } = verdict as { id: unknown };
  return typeof id === "string" && id !== "";
}

/** Distinguishes a malformed header from a wrong key by its form alone, so the answer reveals nothing about valid keys. */
function refusal(authorization: string, start: number): HttpError {
  const token = authorization.slice(start);
  return token === "" || token.includes(" ") || token.includes(",") ? MALFORMED : INVALID_KEY;
}
