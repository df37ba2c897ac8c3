import type { HeaderFields } from "../http/reply.ts";
import { Problem } from "../http/problem.ts";
import type { RequestContext } from "../http/context.ts";
import { trimField } from "../http/field_value.ts";
import { chain, isPromise } from "../maybe_promise.ts";
import type { Authenticate } from "./authentication.ts";
import { ChecksUnderWay } from "./checks_under_way.ts";
import { createLimitMemory, createLimitTable, type LimitTable, type Quota } from "./limit_table.ts";

/** Options of {@link createRateLimit}: how many requests are allowed, and in which time. */
export interface RateLimitOptions {
  /** How many requests each caller may send in a window, and each address without a valid key. */
  requests: number;
  /** The length of a window in milliseconds. Requests may come at once; then the limit refills evenly. */
  windowMs: number;
  /**
   * The header in which your proxy sends the client's address, such as `cf-connecting-ip`; the last item counts. Set it only if
   * clients cannot bypass the proxy. Default: the address of the connection, which `Deno.serve` and the Node listener tell; see
   * {@link Petstore.handle}. Without an address, only callers are limited.
   */
  clientHeader?: string | undefined;
}

/** A limit on callers, and on addresses without a valid key. Each petstore counts for itself. */
export interface RateLimit extends Readonly<RateLimitOptions> {
  /** For the petstore alone. */
  readonly limiter: unknown;
}

/** As it has been checked. */
export interface CheckedRateLimit extends RateLimit {
  readonly limiter: Limiter;
}

/** @param now In milliseconds. It must never be set back. */
export type Limiter = (
  authenticate: Authenticate,
  memory?: LimitMemory,
  now?: (request: RequestContext) => number,
) => Authenticate;

/** The memory of the tables, which several isolates may share. */
export interface LimitMemory {
  callers: ArrayBufferLike;
  addresses: ArrayBufferLike;
}

/** `Retry-After` is the `t` of `RateLimit`. */
export function rateLimited(limit: NamedLimit, quota: Quota): Problem {
  const seconds = secondsOf(quota);
  const message = `Too many requests; try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}`;
  return new Problem(429, "rate_limited", message, { "retry-after": `${seconds}`, ...limitFields(limit, quota) });
}

/** By draft-ietf-httpapi-ratelimit-headers-11: within `t` seconds there are no more than `r`. */
function limitFields({ name, requests, windowMs }: NamedLimit, quota: Quota): HeaderFields {
  return {
    ratelimit: `"${name}";r=${quota.remaining};t=${secondsOf(quota)}`,
    "ratelimit-policy": `"${name}";q=${requests};w=${Math.ceil(windowMs / 1000)}`,
  };
}

function secondsOf({ moreIn }: Quota): number {
  return Math.ceil(moreIn / 1000);
}

interface NamedLimit extends Pick<RateLimitOptions, "requests" | "windowMs"> {
  /** In responses. */
  name: string;
}

interface Limit extends NamedLimit {
  table: LimitTable;
  checks: ChecksUnderWay;
}

/** Those of networks are for each part of an address: see {@link networksOf}. */
type Limits = readonly [callers: Limit, ...networks: Limit[]];

/** So many addresses of IPv6 may use up their limits before their network is refused. An attacker's 65,536 would fill the table. */
const ADDRESSES_OF_A_NETWORK = 16;

/** In milliseconds. Then the key counts as wrong: a verifier that hangs would close an address. */
const LONGEST_CHECK = 30_000;

function createLimits({ requests, windowMs }: RateLimitOptions, memory: Partial<LimitMemory> = {}): Limits {
  const { callers = createLimitMemory(), addresses = createLimitMemory() } = memory;
  const create = (name: string, requests: number, memory: ArrayBufferLike): Limit => {
    const table = createLimitTable(requests, windowMs, memory);
    return { name, requests, windowMs, table, checks: new ChecksUnderWay() };
  };
  return [
    create("caller", requests, callers),
    create("address", requests, addresses),
    create("network", ADDRESSES_OF_A_NETWORK * requests, addresses),
  ];
}

/** An address that has used up its limit is refused before its key is looked at: the response must not tell whether a guess was right. */
export function limitRate(
  options: RateLimitOptions,
  ...[authenticate, memory, now = steadyNow]: Parameters<Limiter>
): Authenticate {
  // Workers have no random numbers at start-up.
  let limits: Limits | undefined;

  return (context) => {
    const address = addressOf(context, options.clientHeader);
    if (address === undefined && !limits) console.warn(NO_ADDRESS);
    const [callers, ...networks] = limits ??= createLimits(options, memory);
    const arrival = now(context);
    const guessed = address === undefined ? [] : networksOf(address).map((name, i): Guessed => [networks[i]!, name]);
    return chain(limitGuesses(guessed, arrival, () => authenticate(context)), (caller) => {
      if (caller instanceof Problem) return caller;
      // The log of a refusal names the caller too.
      context.caller = caller;
      const quota = callers.table.consume(caller.id, arrival);
      if (quota.remaining === 0) return rateLimited(callers, quota);
      quota.remaining--;
      // Earlier, few clients want to know, and headers cost time.
      const isLow = quota.remaining < callers.requests / 2;
      if (isLow) context.fields = { ...context.fields, ...limitFields(callers, quota) };
      return caller;
    });
  };
}

/** The limit of a network, and the network. */
type Guessed = [limit: Limit, name: string];

/**
 * Counts wrong keys. No more checks are under way than wrong keys are left: the next request waits for one to end. Counting them
 * at their beginning would refuse right keys that come at the same time.
 */
function limitGuesses(
  guessed: readonly Guessed[],
  arrival: number,
  check: () => ReturnType<Authenticate>,
): ReturnType<Authenticate> {
  for (const [limit, name] of guessed) {
    const left = limit.table.quota(name, arrival);
    if (left.remaining === 0) return rateLimited(limit, left);
    if (limit.checks.count(name) < left.remaining) continue;
    return limit.checks.wait(name)
      .then(() => limitGuesses(guessed, arrival, check))
      .finally(() => guessed.forEach(([{ checks }, name]) => checks.pass(name)));
  }
  // Beyond the limit too: other isolates check keys at the same time.
  const count = () => guessed.forEach(([{ table }, name]) => table.consume(name, arrival, true));
  const verdict = check();
  if (!isPromise(verdict)) {
    if (verdict instanceof Problem) count();
    return verdict;
  }
  guessed.forEach(([{ checks }, name]) => checks.begin(name));
  let end = (isWrong: boolean) => {
    end = () => {};
    clearTimeout(timer);
    if (isWrong) count();
    guessed.forEach(([{ checks }, name]) => checks.end(name));
  };
  const timer = setTimeout(() => end(true), LONGEST_CHECK);
  return Promise.resolve(verdict).then((found) => {
    end(found instanceof Problem);
    return found;
  }).finally(() => end(false));
}

const NO_ADDRESS = "petstore: rateLimit limits no addresses without remoteAddr or clientHeader";

/** Never set back, and the same in all isolates of a process. */
function steadyNow({ arrivedAt }: RequestContext): number {
  return performance.timeOrigin + (arrivedAt || performance.now());
}

function addressOf(context: RequestContext, clientHeader: string | undefined): string | undefined {
  if (clientHeader === undefined) return context.client || undefined;
  const told = context.header(clientHeader) ?? "";
  // Requests without an address share one limit: an empty header must be no way around it.
  return trimField(told.slice(told.lastIndexOf(",") + 1)) || context.client || "unknown";
}

/** Some proxies add a port. */
const AS_IN_A_URL = /^\[|^[^:]*:\d+$/;

/** The parts that the owner of an address cannot choose: all of IPv4; of IPv6 the /64, and the /48 of an organization. */
export function networksOf(address: string): string[] {
  if (!address.includes(":")) return [address];
  // The name of an interface may follow a percent sign.
  const bare = address.replace(/%[^\]]*/, "");
  // A URL writes an address in one way.
  const hostname = URL.parse(`http://${AS_IN_A_URL.test(bare) ? bare : `[${bare}]`}`)?.hostname ?? address;
  if (!hostname.startsWith("[")) return [hostname];
  // The double colon stands for zeros.
  const whole = hostname.slice(1, -1).replace("::", `:${"0:".repeat(9 - hostname.split(":").length)}`);
  const groups = whole.split(":").map((group) => group || "0");
  const network = groups.slice(0, 4).join(":");
  if (network !== "0:0:0:0" || groups[5] !== "ffff") return [network, groups.slice(0, 3).join(":")];
  // An IPv4 address in the notation of IPv6.
  return [groups.slice(6).flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]).join(".")];
}
