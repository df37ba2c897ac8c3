/** Who is calling: the check of a request's credentials. */

import type { HttpError } from "../http/errors.ts";
import type { Caller, Exchange } from "../http/exchange.ts";
import { chain, isPending, type Pending } from "../pending.ts";
import { EXPIRED_KEY, INVALID_KEY, isKeyText, MALFORMED, MISSING_KEY, tokenStart } from "./bearer.ts";
import { type KeyOwner, KeyRing } from "./key_ring.ts";
import { type ApiKeys, checkKeys, type KeyRecord, type KeyVerifier } from "./keys.ts";

/** Answers who sends a request, or why it is refused. */
export type Authenticate = (exchange: Exchange) => Pending<Caller | HttpError>;

/** Decides about the key that begins at `start` of an `Authorization` header. */
type Recognise = (authorization: string, start: number, exchange: Exchange) => Pending<Caller | HttpError>;

/**
 * Makes the check for a set of keys.
 *
 * @throws {TypeError} If there is no key, or one that no request could carry. The message never shows a key.
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
  // Made with the first request: some hosts, Workers among them, have no random numbers before.
  let ring: KeyRing | undefined;
  let filled: Promise<void> | undefined;

  function check(authorization: string, start: number): Pending<Caller | HttpError> {
    const owner = ring!.find(authorization, start);
    if (isPending(owner)) return owner.then((owner) => judge(owner, authorization, start));
    return judge(owner, authorization, start);
  }

  return (authorization, start) => {
    if (!ring) {
      ring = new KeyRing();
      filled = ring.add(records).then(() => {
        // From now on only the app's own list has them in clear.
        records.length = 0;
        filled = undefined;
      }, (thrown) => {
        // The next request tries again.
        ring = filled = undefined;
        throw thrown;
      });
    }
    return filled ? filled.then(() => check(authorization, start)) : check(authorization, start);
  };
}

/** The caller of a key that is valid now. */
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
      // Exactly true: a verifier that forgets to return must not let every request in.
      if (verdict === true) return (ring ??= new KeyRing()).own(key);
      return isCaller(verdict) ? verdict : refusal(authorization, start);
    });
  };
}

function recogniseWithoutKey(verify: KeyVerifier, exchange: Exchange): Pending<Caller | HttpError> {
  return chain(verify("", exchange.toRequest()), (verdict) => isCaller(verdict) ? verdict : MISSING_KEY);
}

/** An object with an id of its own: one that only inherits an id, as from an extended Object.prototype, is not a caller. */
function isCaller(verdict: unknown): verdict is Caller {
  if (typeof verdict !== "object" || verdict === null || !Object.hasOwn(verdict, "id")) return false;
  const { id } = verdict as { id: unknown };
  return typeof id === "string" && id !== "";
}

/** Tells a key of the wrong form from one that is not valid. Only the form is looked at, so nothing is told of any key. */
function refusal(authorization: string, start: number): HttpError {
  const token = authorization.slice(start);
  return token === "" || token.includes(" ") || token.includes(",") ? MALFORMED : INVALID_KEY;
}
