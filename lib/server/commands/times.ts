/** Times in flags. */

import type { Format } from "../settings/arguments.ts";
import { UNITS } from "../process/time.ts";

/** In milliseconds. */
export const DURATION: Format<number> = {
  form: "a time such as 12h, 90d or 1w (s, m, h, d or w)",
  parse(text) {
    const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
    return count === undefined ? undefined : Number(count) * UNITS[unit]!;
  },
};

/** A moment in the future. */
export const EXPIRY: Format<Date> = {
  form: `${DURATION.form}, or a date in the future such as 2031-12-31`,
  parse(text) {
    const lifetime = DURATION.parse(text);
    const time = lifetime === undefined ? dayOf(text) : new Date(Date.now() + lifetime);
    return time && time.getTime() > Date.now() ? time : undefined;
  },
};

/** The beginning of a day, in UTC. */
function dayOf(text: string): Date | undefined {
  const day = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? text : Number.NaN);
  // The 30th of February is another day.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? day : undefined;
}
