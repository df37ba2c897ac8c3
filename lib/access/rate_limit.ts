/** Limits how many requests a caller may send, and how many an address may send without a valid key. */

import type { HeaderFields } from "../http/reply.ts";
import { Problem } from "../http/problem.ts";
import type { RequestContext } from "../http/context.ts";
import { trimField } from "../http/field_value.ts";
import { chain } from "../maybe_promise.ts";
import type { Authenticate } from "./authentication.ts";
import { LimitTable, type Quota } from "./limit_table.ts";

/** How many requests are allowed, and in which time. */
export interface RateLimitOptions {
  /** How many requests each caller may send in a window, and each address without a valid key. */
  requests: number;
  /** The length of a window in milliseconds. Requests may come at once; then the limit refills evenly. */
  windowMs: number;
  /**
   * The header in which your proxy sends the address of the client, such as `cf-connecting-ip`; the last item counts. Set it
   * only if clients cannot bypass the proxy. Default: the address of the connection, which `Deno.serve` and the
   * Node listener tell, and others can: see {@link Petstore.handle}. Without an address, only callers are limited.
   */
  clientHeader?: string;
}

/** The tables of several isolates that share their counts. */
export interface LimitMemory {
  callers: SharedArrayBuffer;
  addresses: SharedArrayBuffer;
}

/** The failure, with the fields of draft-ietf-httpapi-ratelimit-headers-10. */
export function rateLimited(fields: HeaderFields, seconds: number): Problem {
  const message = `Too many requests; try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}`;
  return new Problem(429, "rate_limited", message, { "retry-after": String(seconds), ...fields });
}

/** `RateLimit` and `RateLimit-Policy`. Times are in whole seconds, rounded up. */
export function limitFields(name: string, { requests, windowMs }: RateLimitOptions, quota: Quota): HeaderFields {
  const { remaining, resetIn } = quota;
  return {
    ratelimit: `"${name}";r=${remaining};t=${Math.ceil(resetIn / 1000)}`,
    "ratelimit-policy": `"${name}";q=${requests};w=${Math.ceil(windowMs / 1000)}`,
  };
}

/**
 * Puts a limit around a key check.
 *
 * An address that has used up its limit is refused before its key is looked at, even if the key is valid. Otherwise the response
 * would still tell whether a guess was right.
 *
 * @param now The time in milliseconds. It must never be set back.
 */
export function limitRate(
  authenticate: Authenticate,
  options: RateLimitOptions,
  memory?: LimitMemory,
  now: () => number = steadyNow,
): Authenticate {
  const { requests, windowMs, clientHeader } = options;
  // Created with the first request, because Workers, for example, provide no random numbers earlier.
  let tables: { callers: LimitTable; addresses: LimitTable } | undefined;
  let knowsAddresses = clientHeader !== undefined;

  function exceeded(name: string, quota: Quota): Problem {
    const seconds = Math.max(1, Math.ceil(quota.retryIn / 1000));
    return rateLimited(limitFields(name, options, quota), seconds);
  }

  return (context) => {
    const { callers, addresses } = tables ??= {
      callers: new LimitTable(requests, windowMs, memory?.callers),
      addresses: new LimitTable(requests, windowMs, memory?.addresses),
    };
    const network = networkOf(addressOf(context, clientHeader) ?? "");
    if (network === "" && !knowsAddresses) console.warn(NO_ADDRESS);
    knowsAddresses = true;
    const arrival = now();
    const left = network === "" ? undefined : addresses.quota(network, arrival);
    if (left?.remaining === 0) return exceeded("address", left);
    return chain(authenticate(context), (caller) => {
      if (caller instanceof Problem) {
        // Guesses that were under way at the same time count too, beyond the limit.
        if (network !== "") addresses.consume(network, arrival, true);
        return caller;
      }
      // The log of a refusal names the caller too.
      context.caller = caller;
      const quota = callers.consume(caller.id, arrival);
      if (quota.remaining === 0) return exceeded("caller", quota);
      quota.remaining--;
      // Before half of the limit is used up, few clients want to know, and two more headers would cost 5 % of a response.
      if (quota.remaining < requests / 2) {
        quota.resetIn += windowMs / requests;
        context.fields = limitFields("caller", options, quota);
      }
      return caller;
    });
  };
}

/** Said once, because a limit that is not there must not look as if it were. */
const NO_ADDRESS = "petstore: rateLimit limits no addresses: pass remoteAddr to handle(), or set clientHeader";

/** Never set back, and the same in all isolates of a process. */
function steadyNow(): number {
  return ORIGIN + performance.now();
}

/** Read once, because the getter takes longer than the clock. */
const ORIGIN = performance.timeOrigin;

function addressOf(context: RequestContext, clientHeader: string | undefined): string | undefined {
  const told = clientHeader === undefined ? null : context.header(clientHeader);
  if (told === null) return context.client;
  return trimField(told.slice(told.lastIndexOf(",") + 1));
}

/** The part of an address that its owner cannot choose: all of an IPv4 address, and the first half of an IPv6 address. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  // The name of an interface may follow a percent sign.
  const [plain = ""] = address.split("%", 1);
  const [head = [], tail] = plain.split("::").map((part) => part === "" ? [] : part.split(":"));
  // An IPv4 address in the notation of IPv6.
  if (/^::ffff:.*\./i.test(plain)) return tail!.at(-1)!;
  // The double colon stands for zeros.
  while (tail && head.length + tail.length < 8) head.push("0");
  return [...head, ...tail ?? []].slice(0, 4).map((group) => (parseInt(group, 16) || 0).toString(16)).join(":");
}
