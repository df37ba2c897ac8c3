/** The arguments of a command. A flag has precedence over an environment variable, and this one over a default. */

import { SettingError } from "../process/start_error.ts";
import type { Environment } from "./environment.ts";
import type { Option, Options } from "./flags.ts";
import { type Format, oneOf } from "./formats.ts";
import { normalize, normalizeList } from "./setting_text.ts";

/** The arguments of a command. Each method throws a {@link SettingError} if a text is not valid. */
export interface CommandArguments {
  /** The argument that is not a flag, or "". */
  operand: string;
  /** The text of an option, or "" if it is unset. */
  text(name: string): string;
  /** The items of an option that is a list. There are none if it is unset. */
  list(name: string): string[];
  /** The value of an option that has a default. */
  read<T>(name: string, format: Format<T>): T;
  /** The value of an option, or undefined if it is unset. */
  readOptional<T>(name: string, format: Format<T>): T | undefined;
  /** The values of the items of an option that is a list. */
  readList<T>(name: string, format: Format<T>): T[];
  /** Whether a switch is on. */
  isOn(name: string): boolean;
}

/** The values of each given flag, in order. A switch has "on" or "off". */
type Flags = ReadonlyMap<string, readonly string[]>;

/** A text that sets an option, and the flag or the variable that it is from, for messages. */
interface Given {
  text: string;
  source: string;
}

export function createArguments(
  options: Options,
  flags: Flags,
  operand: string,
  environment: Environment,
): CommandArguments {
  const findAll = (name: string) => findGiven(name, options[name], flags, environment);
  // If a flag is given several times, the last one counts.
  const findOne = (name: string) => findAll(name).at(-1);

  function readOptional<T>(name: string, format: Format<T>): T | undefined {
    const given = findOne(name);
    return given && parse(given, format);
  }

  return {
    operand,
    text: (name) => findOne(name)?.text ?? "",
    list: (name) => findAll(name).map(({ text }) => text),
    read: (name, format) => parse(findOne(name)!, format),
    readOptional,
    readList: (name, format) => findAll(name).map((given) => parse(given, format)),
    isOn: (name) => readOptional(name, ON_OR_OFF) === "on",
  };
}

const ON_OR_OFF = oneOf("on", "off");

/**
 * Finds what sets an option: its flags, or else its variable, or else its default. A list may have several items. The result is empty if the
 * option is unset. An empty flag is not unset, but an empty variable is.
 */
function findGiven(name: string, option: Option | undefined, flags: Flags, environment: Environment): Given[] {
  const flag = `--${name}`;
  const inFlags = flags.get(name);
  if (inFlags) return inFlags.map((text) => ({ text: normalize(text, flag), source: flag }));
  for (const source of [option?.variable, option?.alias]) {
    if (source === undefined) continue;
    const text = environment(source) ?? "";
    if (text.trim() === "") continue;
    const items = option?.isList ? normalizeList(text, source) : [normalize(text, source)];
    return items.map((item) => ({ text: item, source }));
  }
  return option?.default === undefined ? [] : [{ text: option.default, source: flag }];
}

function parse<T>({ text, source }: Given, format: Format<T>): T {
  const value = format.parse(text);
  if (value !== undefined) return value;
  // An address with an @ may have a password, so it is not quoted.
  const quoted = text.includes("@") ? "" : `, not ${JSON.stringify(text)}`;
  throw new SettingError(`${source} must be ${format.form}${quoted}`);
}
