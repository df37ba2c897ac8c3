/**
 * Finds out who sends a request, from the field Authorization, and whether that caller may do what the request asks
 * for. The key is looked up among the valid ones, or a function of the app verifies it.
 */

import type { Caller, RequestContext } from "../http/context.ts";
import type { Effect } from "../http/operation.ts";
import type { Problem } from "../http/problem.ts";
import { chain, type MaybePromise } from "../promises.ts";
import { EXPIRED_KEY, isKeyText, MISSING_KEY, OTHER_SCHEME, READ_ONLY_KEY, refusalOf } from "./bearer.ts";
import { type ChangingKeys, type KeyOwner, KeyRing } from "./key_ring.ts";
import { type ApiKey, type ApiKeys, checkKeys, type KeyRecord, type KeyVerifier } from "./keys.ts";

export type Authenticate = (context: RequestContext) => MaybePromise<Caller | Problem>;

/**
 * Finds the caller of a request. `authorization` is the value of the header field Authorization, or null if there is none. Its token
 * begins at `start`.
 */
type KeyCheck = (
  authorization: string | null,
  start: number,
  context: RequestContext,
) => MaybePromise<Caller | Problem>;

export function createAuthenticate(keys: ApiKeys): Authenticate {
  const check = typeof keys === "function" ? checkByVerifier(keys) : checkByRing(findIn(keys));
  return (context) => {
    const authorization = context.header("authorization");
    const start = authorization === null ? 0 : tokenStart(authorization);
    return start === undefined ? OTHER_SCHEME : check(authorization, start, context);
  };
}

export function authorize({ readOnly }: Caller, effect: Effect): Problem | undefined {
  return readOnly && effect !== "reads" ? READ_ONLY_KEY : undefined;
}

function tokenStart(authorization: string): number | undefined {
  if (!authorization.startsWith("Bearer ") && authorization.slice(0, 7).toLowerCase() !== "bearer ") return undefined;
  let start = 7;
  while (authorization.charCodeAt(start) === 0x20) start++;
  return start;
}

function findIn(keys: Exclude<ApiKeys, KeyVerifier>): ChangingKeys["findKey"] {
  const changing = (keys as Partial<ChangingKeys> | undefined)?.findKey;
  if (changing) return changing;
  const currentRing = createRing(checkKeys(keys as Iterable<string | ApiKey>));
  return (header, start) => chain(currentRing(), (ring) => ring.find(header, start));
}

function createRing(records: KeyRecord[]): () => MaybePromise<KeyRing> {
  let ring: MaybePromise<KeyRing> | undefined;

  async function fill(): Promise<KeyRing> {
    // The ring takes the place of its promise, so that later requests need not wait for a turn of the microtask queue.
    ring = await new KeyRing().add(records);
    // The list is emptied, because this closure would keep its keys in memory.
    records.length = 0;
    return ring;
  }

  // The ring is made at the first request, because it needs a random seed, and Workers give no random numbers at
  // start-up.
  return () =>
    ring ??= fill().catch((error) => {
      // A failure is not kept, so the next request tries again.
      ring = undefined;
      throw error;
    });
}

function checkByRing(find: ChangingKeys["findKey"]): KeyCheck {
  return (authorization, start, context) => {
    if (authorization === null) return MISSING_KEY;
    return chain(find(authorization, start, context), (owner) => callerOf(owner, authorization, start));
  };
}

function callerOf(owner: KeyOwner | undefined, authorization: string, start: number): Caller | Problem {
  if (!owner) return refusalOf(authorization, start);
  // A key whose date of expiry is invalid counts as expired: the comparison with `NaN` is false.
  if (owner.expires !== Infinity && !(Date.now() < owner.expires)) return EXPIRED_KEY;
  return owner.caller;
}

function checkByVerifier(verify: KeyVerifier): KeyCheck {
  let ring: KeyRing | undefined;
  return (authorization, start, context) => {
    const key = authorization?.slice(start);
    if (key !== undefined && !isKeyText(key)) return refusalOf(authorization, start);
    return chain(verify(key, context.toRequest()), (verdict): MaybePromise<Caller | Problem> => {
      if (isCaller(verdict)) return requireExact(verdict);
      // Only `true` and a caller accept. Any other value, which a mistake in a verifier may return, must not accept
      // every key.
      if (verdict !== true || key === undefined) return refusalOf(authorization, start);
      ring ??= new KeyRing();
      return chain(ring.findOrAdd(key), (owner) => owner.caller);
    });
  };
}

function isCaller(verdict: unknown): verdict is Caller {
  // Only an `id` of its own counts, because an extended Object.prototype could provide one.
  if (typeof verdict !== "object" || verdict === null || !Object.hasOwn(verdict, "id")) return false;
  const { id } = verdict as { id: unknown };
  return typeof id === "string" && id !== "";
}

/**
 * Checks the rights that a verifier gives. A misspelt `readOnly` must not give the right to write, so no other member is allowed, as in
 * the record of a key.
 *
 * @throws {TypeError} If there is another member, or `readOnly` is no boolean. The client gets 500.
 */
function requireExact(caller: Caller): Caller {
  const { readOnly = false } = caller;
  const isRight = typeof readOnly === "boolean";
  if (isRight && Object.keys(caller).every((name) => name === "id" || name === "readOnly")) return caller;
  throw new TypeError(
    "The caller that a key verifier returns must have the members id and readOnly alone, the second a boolean",
  );
}
