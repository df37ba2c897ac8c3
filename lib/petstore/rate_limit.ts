import { type CheckedRateLimit, limitRate, type RateLimit, type RateLimitOptions } from "../access/rate_limit.ts";
import { checkAll, type Checks, text, wholeNumber } from "./checked_options.ts";

const OPTIONS: Checks<RateLimitOptions, RateLimitOptions> = {
  requests: wholeNumber(),
  windowMs: wholeNumber(),
  clientHeader: text("the name of a header", (name) => /^[\w-]+$/.test(name) && name.toLowerCase(), undefined),
};

/**
 * Creates a limit on requests for {@link PetstoreOptions.rateLimit}.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong type.
 * @throws {RangeError} If a number is out of range.
 */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const checked = checkAll(OPTIONS, options, "");
  return { ...checked, limiter: limitRate.bind(undefined, checked) } satisfies CheckedRateLimit;
}
