/** Limits how many requests a caller may send, and how many an address may send without a valid key. */

import type { HeaderFields, Reply } from "../http/reply.ts";
import { Problem } from "../http/problem.ts";
import type { RequestContext } from "../http/context.ts";
import { trimField } from "../http/field_value.ts";
import type { Guard } from "../http/pipeline.ts";
import { chain } from "../maybe_promise.ts";
import { LimitTable, type Quota } from "./limit_table.ts";

/** How many requests are allowed, and in which time. */
export interface RateLimitOptions {
  /** How many requests each caller may send in a window, and each address without a valid key. */
  requests: number;
  /** The length of a window in milliseconds. Requests may come at once; then the limit refills evenly. */
  windowMs: number;
  /**
   * The header in which your proxy tells the address of the client, such as `cf-connecting-ip`; the last item counts. Set it
   * only if clients cannot bypass the proxy. Default: the address of the connection, which the Node listener knows and
   * `handle` does not. Without an address, only callers are limited.
   */
  clientHeader?: string;
  /** The clock, in milliseconds, for tests. Default: one that is never set back. */
  now?: () => number;
}

/** The tables of several isolates that share their counts. */
export interface LimitMemory {
  callers: SharedArrayBuffer;
  addresses: SharedArrayBuffer;
}

/** The failure, with the fields of draft-ietf-httpapi-ratelimit-headers-10. */
export function rateLimited(fields: HeaderFields, seconds: number): Problem {
  const message = `Too many requests; try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}`;
  return new Problem("rate_limited", message, { "retry-after": String(seconds), ...fields });
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
 * @param authenticate Sets the caller, or refuses.
 */
export function limitRate(authenticate: Guard, options: RateLimitOptions, memory?: LimitMemory): Guard {
  const { requests, windowMs, clientHeader, now = steadyNow } = options;
  // Created with the first request, because Workers, for example, provide no random numbers earlier.
  let tables: { callers: LimitTable; addresses: LimitTable } | undefined;

  function refuse(name: string, quota: Quota): Reply {
    const seconds = Math.max(1, Math.ceil(quota.retryIn / 1000));
    return rateLimited(limitFields(name, options, quota), seconds).toReply();
  }

  return (context) => {
    const { callers, addresses } = tables ??= {
      callers: new LimitTable(requests, windowMs, memory?.callers),
      addresses: new LimitTable(requests, windowMs, memory?.addresses),
    };
    const network = networkOf(addressOf(context, clientHeader) ?? "");
    const arrival = now();
    const refused = network === "" ? undefined : addresses.refusal(network, arrival);
    if (refused) return refuse("address", refused);
    return chain(authenticate(context), (refusal) => {
      if (refusal) {
        // Guesses that were under way at the same time count too, beyond the limit.
        if (network !== "") addresses.take(network, arrival, true);
        return refusal;
      }
      const quota = callers.take(context.caller!.id, arrival);
      if (!quota.isOpen) return refuse("caller", quota);
      quota.remaining--;
      // Before half of the limit is used up, few clients want to know, and two more headers would cost 5 % of a response.
      if (quota.remaining < requests / 2) {
        quota.resetIn += windowMs / requests;
        context.fields = limitFields("caller", options, quota);
      }
      return undefined;
    });
  };
}

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
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  // What follows the percent sign is the name of an interface.
  const [plain = ""] = address.split("%", 1);
  const [head = "", tail] = plain.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const rest = tail === undefined || tail === "" ? [] : tail.split(":");
  // A dotted end stands for two groups.
  const missing = 8 - groups.length - rest.length - (rest.at(-1)?.includes(".") ? 1 : 0);
  const all = tail === undefined ? groups : [...groups, ...Array(Math.max(0, missing)).fill("0"), ...rest];
  return all.slice(0, 4).map((group) => (parseInt(group, 16) || 0).toString(16)).join(":");
}
