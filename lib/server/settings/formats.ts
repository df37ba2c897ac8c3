/** The formats of settings: what a valid text is, and which value it stands for. */

/** How the text of a value is read. */
export interface Format<T> {
  /** Says what a valid text is, such as `a number from 1 to 9`, for messages. */
  form: string;
  /** The value of a text; undefined if the text is not valid. */
  parse(text: string): T | undefined;
}

/** Whole numbers of at most seven digits, which are enough for every setting. */
export function numberFrom(least: number, most: number): Format<number> {
  return {
    form: `a number from ${least} to ${most}`,
    parse(text) {
      if (!/^\d{1,7}$/.test(text)) return undefined;
      const number = Number(text);
      return number >= least && number <= most ? number : undefined;
    },
  };
}

export function oneOf<Choice extends string>(...choices: readonly Choice[]): Format<Choice> {
  const form = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(choices);
  return { form, parse: (text) => choices.find((choice) => choice === text) };
}

/** The units of times in settings and flags, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A duration such as `12h` or `90d`, in milliseconds. */
export const DURATION: Format<number> = {
  form: "a time such as 12h, 90d or 1w (s, m, h, d or w)",
  parse(text) {
    const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
    return count === undefined ? undefined : Number(count) * UNITS[unit]!;
  },
};

/** A time in the future: the end of a duration from now, or the beginning of a day in UTC. */
export const EXPIRY: Format<Date> = {
  form: `${DURATION.form}, or a date in the future such as 2031-12-31`,
  parse(text) {
    const lifetime = DURATION.parse(text);
    const time = lifetime === undefined ? dayOf(text) : new Date(Date.now() + lifetime);
    return time && time.getTime() > Date.now() ? time : undefined;
  },
};

/** The beginning of a day in UTC, or undefined if there is no such day. */
function dayOf(text: string): Date | undefined {
  const day = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? text : Number.NaN);
  // `Date` takes the 30th of February for a day of March, so the day is formatted again and compared.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? day : undefined;
}
