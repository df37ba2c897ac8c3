/** The arguments of a command. A flag has precedence over an environment variable, and this one over a default. */

import type { Environment, Options } from "./flags.ts";
import { SettingError } from "../process/start_error.ts";

/** How the text of a value is read. */
export interface Format<T> {
  /** Says what a valid text is, such as `a number from 1 to 9`, for messages. */
  form: string;
  /** The value of a text; undefined if the text is not valid. */
  parse(text: string): T | undefined;
}

/** The values of each given flag, in order. A switch has "on" or "off". */
type Flags = ReadonlyMap<string, readonly string[]>;

/** The arguments of a command. */
export type CommandArguments = ReturnType<typeof createArguments>;

/** The text of an option, and the flag or the variable that has set it, for messages. */
interface Given {
  text: string;
  source: string;
}

/** @param operand The argument that is not a flag, or "". */
export function createArguments(options: Options, flags: Flags, operand: string, environment: Environment) {
  /**
   * Finds the variable that sets an option. An option may have a second variable ("alias"), for platforms that set one of their own. A
   * variable counts as unset if it is empty, or if a platform has set it to the address of a service.
   */
  function findVariable(name: string): Given | undefined {
    const { variable = "", alias = "", isList } = options[name] ?? {};
    for (const candidate of [variable, alias]) {
      const given = candidate === "" ? undefined : environment(candidate);
      if (given === undefined || isServiceLink(candidate, given)) continue;
      const text = normalize(given, candidate, isList);
      if (text !== "") return { text, source: candidate };
    }
    return undefined;
  }

  /** Finds the text of an option. The result is undefined if the option is unset and has no default. An empty flag is not unset. */
  function find(name: string): Given | undefined {
    const source = `--${name}`;
    // If a flag is given several times, the last one counts.
    const given = flags.get(name)?.at(-1);
    if (given !== undefined) return { text: normalize(given, source), source };
    const found = findVariable(name);
    if (found) return found;
    const text = options[name]?.default ?? "";
    return text === "" ? undefined : { text, source };
  }

  /** Finds the items of a list. Each flag has one of them, and a variable has several, with commas between. */
  function findList(name: string): Given[] {
    const inFlags = flags.get(name);
    if (inFlags) return inFlags.map((item) => ({ text: normalize(item, `--${name}`), source: `--${name}` }));
    const found = findVariable(name);
    if (!found) return [];
    const { text, source } = found;
    // The whole text has been normalized, and each item is too, because it may have quotes of its own. Two commas in a row give an empty item,
    // which no format accepts.
    return splitList(text).map((item) => ({ text: normalize(item, source), source }));
  }

  /** The text of an option, or "" if it is unset. */
  function text(name: string): string {
    return find(name)?.text ?? "";
  }

  function list(name: string): string[] {
    return findList(name).map(({ text }) => text);
  }

  /** @throws {SettingError} If the text is invalid. */
  function read<T>(name: string, format: Format<T>): T {
    return parse(find(name) ?? { text: "", source: `--${name}` }, format);
  }

  function readList<T>(name: string, format: Format<T>): T[] {
    return findList(name).map((given) => parse(given, format));
  }

  /** Like {@link read}, for an option that may be unset. */
  function optional<T>(name: string, format: Format<T>): T | undefined {
    const given = find(name);
    return given && parse(given, format);
  }

  /**
   * Whether a switch is on.
   *
   * @throws {SettingError} If its variable is neither on nor off.
   */
  function isOn(name: string): boolean {
    return optional(name, oneOf("on", "off")) === "on";
  }

  return { operand, text, list, read, readList, optional, isOn };
}

function parse<T>({ text, source }: Given, format: Format<T>): T {
  const value = format.parse(text);
  if (value !== undefined) return value;
  // An address with an @ may have a password.
  const quotation = text.includes("@") ? "" : `, not ${JSON.stringify(text)}`;
  throw new SettingError(`${source} must be ${format.form}${quotation}`);
}

/**
 * The placeholders `${NAME}` of a shell, `$(NAME)` of Kubernetes and `{{ name }}` of templates, anywhere in a text, and `%NAME%` of Windows and
 * `<name>` of a page as a whole text: within an address, `%` and `<` may have another meaning.
 */
const PLACEHOLDER = /\$[({]\w|\{\{|^%\w+%$|^<.+>$/;

/** One quotation mark is refused too: it is what is left of quotes around a value that was cut or joined. */
const QUOTE_AT_AN_END = /^["'`]|["'`]$/;

/** Control characters and those that have no width, such as the zero width space that pages and chats add to a copied text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** In a variable or a file with a list, line ends may separate the items. */
const UNSEEN_BUT_LINE_ENDS = /(?![\r\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Prepares the text of a setting, by one rule for flags, variables and files. White space around it is removed: `echo` and files with CRLF
 * add a line end. A quotation mark at an end is refused: a shell removes quotes, but other programs that read such a file keep them. A
 * placeholder is refused: a shell, Kubernetes or a template should have replaced it, and anyone can guess a key of this form.
 *
 * @param source The flag or variable, for messages.
 * @param isList Whether the text may have line ends, between its items.
 * @throws {SettingError} If the text is not UTF-8, has a quotation mark at an end, a placeholder or an invisible character, or is a JSON
 * array in place of a list. The message does not have the text, as it may be secret.
 */
export function normalize(given: string, source: string, isList = false): string {
  const text = given.trim();
  if (QUOTE_AT_AN_END.test(text)) {
    throw new SettingError(`${source} begins or ends with a quotation mark; write the value without quotes`);
  }
  // Node replaces bytes that are not UTF-8 by this character.
  if (text.includes("\uFFFD")) throw new SettingError(`${source} is not text in UTF-8`);
  if (PLACEHOLDER.test(text)) {
    throw new SettingError(`${source} has a placeholder that was not replaced by its value`);
  }
  if (isList && /^\[.*\]$/s.test(text)) {
    throw new SettingError(`${source} is a JSON array; separate the values by commas`);
  }
  if ((isList ? UNSEEN_BUT_LINE_ENDS : UNSEEN).test(text)) {
    throw new SettingError(`${source} must not contain control characters or other invisible characters`);
  }
  return text;
}

/**
 * Whether Kubernetes or Docker has set a variable to the address of a service: a service named `petstore` sets
 * `PETSTORE_PORT=tcp://10.43.12.7:8000` in each container. They do so only for names that end in `_PORT`.
 */
function isServiceLink(variable: string, text: string): boolean {
  return variable.endsWith("_PORT") && /^(?:tcp|udp|sctp):\/\//i.test(text.trim());
}

/** The items of a list in a variable or a file. Commas or line ends separate them. */
export function splitList(text: string): string[] {
  return text === "" ? [] : text.split(/,|[\r\n]+/).map((item) => item.trim());
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
export const UNITS: Readonly<Record<string, number>> = {
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
