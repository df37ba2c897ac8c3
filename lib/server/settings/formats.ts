/**
 * The formats of options: what a valid text is, and which value it stands for. Those of the
 * library's options are in library_formats.ts. Below them is the one rule by which every text is
 * prepared, from a flag, a variable or a file.
 */

import { isIPv6 } from "node:net";
import { SettingError } from "../process/start_error.ts";

/** How the text of a value is read. */
export interface Format<T> {
  /** What stands for the value in the help text, as in `--port <number>`. */
  placeholder: string;
  /** Says what a valid text is, such as `a number from 1 to 9`, for messages. */
  description: string;
  /**
   * The value of a text; undefined if the text is not valid.
   *
   * @throws {TypeError | RangeError} If the text is not valid, and the error says more than the
   * description.
   */
  parse(text: string): T | undefined;
}

/** A switch. Its flag has no value: it is given as `--x` or `--no-x`. Its variable has this text. */
export const SWITCH: Format<boolean> = {
  placeholder: "on|off",
  description: "on or off",
  parse: (text) => SWITCH_VALUES.get(text),
};

const SWITCH_VALUES = new Map([["on", true], ["off", false]]);

/** Any text. What reads the value checks it. */
export function text(placeholder: string): Format<string> {
  return { placeholder, description: "a text", parse: (text) => text };
}

/** Whole numbers of at most seven digits, which are enough for every setting. */
export function numberFrom(least: number, most: number): Format<number> {
  return {
    placeholder: "number",
    description: `a number from ${least} to ${most}`,
    parse(text) {
      if (!/^\d{1,7}$/.test(text)) return undefined;
      const number = Number(text);
      return number >= least && number <= most ? number : undefined;
    },
  };
}

export function oneOf<Choice extends string>(...choices: readonly Choice[]): Format<Choice> {
  return {
    placeholder: choices.join("|"),
    description: new Intl.ListFormat("en-GB", { type: "disjunction" }).format(choices),
    parse: (text) => choices.find((choice) => choice === text),
  };
}

/** The units of times in settings and flags, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * A duration such as `12h` or `90d`, in milliseconds. It is so short that it ends before the year
 * 10000, whose dates have another form.
 */
export const DURATION: Format<number> = {
  placeholder: "time",
  description: "a time such as 12h, 90d or 1w (s, m, h, d or w)",
  parse(text) {
    const [, count, unit = ""] = /^(\d{1,5})([smhdw])$/.exec(text) ?? [];
    return count === undefined ? undefined : Number(count) * UNITS[unit]!;
  },
};

/** A time in the future: the end of a duration from now, or the beginning of a day in UTC. */
export const EXPIRY: Format<Date> = {
  placeholder: "time",
  description: `${DURATION.description}, or a date in the future such as 2031-12-31`,
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

export const HOSTNAME: Format<string> = {
  placeholder: "address",
  description: "an address or a name, such as 127.0.0.1",
  parse: (text) => /^[\w.-]+$/.test(text) || isIPv6(text) ? text : undefined,
};

export const PORT: Format<number> = numberFrom(0, 65_535);

export const ADDRESS: Format<{ hostname: string; port: number }> = {
  placeholder: "address:port",
  description: "an address and a port, such as 127.0.0.1:9464",
  parse(text) {
    const [, ipv6, name, digits = ""] = /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+)):(\d+)$/.exec(text) ?? [];
    const hostname = ipv6 ?? name;
    const port = PORT.parse(digits);
    return hostname === undefined || port === undefined ? undefined : { hostname, port };
  },
};

/**
 * Runs a check of the library, which throws a `TypeError` or a `RangeError` for a wrong value.
 *
 * @param source The flag or variable that has the value, if the message is to name it.
 * @throws {SettingError} In place of these errors.
 */
export function checkAsSetting<T>(check: () => T, source?: string): T {
  try {
    return check();
  } catch (error) {
    const isWrongValue = error instanceof TypeError || error instanceof RangeError;
    if (!isWrongValue) throw error;
    throw new SettingError(source === undefined ? error.message : `${source}: ${error.message}`);
  }
}

/**
 * A shell removes the quotes around a value, but other programs that read such a file keep them.
 * One quotation mark is what is left of quotes around a value that was cut or joined.
 */
const QUOTE_AT_AN_END = /^["'`]|["'`]$/;

/**
 * Control characters and those that have no width, such as the zero width space that pages and
 * chats add to a copied text.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Checks the text of a setting, and removes the white space around it, because `echo` and files
 * with CRLF add a line end.
 *
 * @param source The flag or variable, for messages.
 * @throws {SettingError} If the text can hardly be meant. The message does not have the text, as it
 * may be secret.
 */
export function normalize(given: string, source: string): string {
  const text = given.trim();
  if (QUOTE_AT_AN_END.test(text)) {
    throw new SettingError(`${source} begins or ends with a quotation mark; write the value without quotes`);
  }
  // Node replaces bytes that are not UTF-8 by this character.
  if (text.includes("\uFFFD")) throw new SettingError(`${source} is not text in UTF-8`);
  if (UNSEEN.test(text)) {
    throw new SettingError(`${source} must not contain control characters or other invisible characters`);
  }
  return text;
}
