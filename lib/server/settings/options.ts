/**
 * How a command declares its options, and how they are read. A flag has precedence over an
 * environment variable, and a variable over a default. The type of each value follows from the
 * declaration. For example, a command may declare:
 *
 * ```txt
 * const OPTIONS = {
 *   port: { format: PORT, variable: "PETSTORE_PORT", default: "8000", help: "the port" },
 *   key: { format: API_KEY, isList: true, variable: "PETSTORE_KEYS", help: "an API key" },
 *   metrics: { format: ADDRESS, help: "the address of the metrics" },
 *   "dry-run": { format: SWITCH, help: "change nothing" },
 * } satisfies Options;
 * ```
 *
 * `readValues()` then returns:
 *
 * | name      | type                     | set by                                                       | if unset    |
 * | --------- | ------------------------ | ------------------------------------------------------------ | ----------- |
 * | `port`    | `number`                 | `--port 9000`, or else `PETSTORE_PORT=9000`                  | `8000`      |
 * | `key`     | `readonly string[]`      | `--key a --key b`, or else `PETSTORE_KEYS=a,b`               | `[]`        |
 * | `metrics` | the address, `undefined` | `--metrics 127.0.0.1:9464`                                   | `undefined` |
 * | `dry-run` | `boolean`, `undefined`   | `--dry-run` and `--no-dry-run`                               | `undefined` |
 *
 * An invalid text fails with a message for the operator:
 * `--port must be a number from 0 to 65535, not "http"`.
 */

import { SettingError } from "../process/start_error.ts";
import type { Environment } from "../process/runtime.ts";
import { checkAsSetting, type Format, normalize } from "./formats.ts";

/** An option of a command, as the command declares it. */
export interface Option {
  /** What its value is. {@link SWITCH} is the format of an option that is on or off. */
  format: Format<unknown>;
  /** The letter of a short form, such as `h` for `-h`. */
  short?: string;
  /** Whether the flag may be given several times. Commas or line ends separate the values in its variable. */
  isList?: true;
  /** The environment variable that applies when the flag is absent. */
  variable?: string;
  /** A variable that hosting platforms set. It applies when the flag and `variable` are absent. */
  alias?: string;
  /** The value if nothing sets the option. It is absent if the option may be unset. */
  default?: string;
  help: string;
}

/** Options by their flags without the dashes. */
export type Options = Readonly<Record<string, Option>>;

/** The values of options, by their flags. The table above has a row for each case. */
export type Values<Given extends Options> = { readonly [Name in keyof Given]: ValueOf<Given[Name]> };

/** A list that is unset is empty. Any other option without a default may be undefined. */
type ValueOf<Given extends Option> = Given extends { isList: true } ? readonly ItemOf<Given>[]
  : Given extends { default: string } ? ItemOf<Given>
  : ItemOf<Given> | undefined;

/** What the format of an option parses. */
type ItemOf<Given extends Option> = Given extends { format: Format<infer Item> } ? Item : never;

/** The texts of each flag of a command line, in order. A switch has booleans. */
export type Flags = Readonly<Record<string, readonly (string | boolean)[] | undefined>>;

/**
 * Reads the value of each option.
 *
 * @throws {SettingError} If a value is invalid.
 */
export function readValues<Given extends Options>(
  options: Given,
  flags: Flags,
  environment: Environment,
): Values<Given> {
  const values = Object.entries(options).map(([name, option]) => {
    const items = readItems(name, option, flags, environment);
    return [name, option.isList ? items : items[0]];
  });
  // The compiler cannot follow the types from here. `readItems()` gives the values that `ValueOf` promises.
  return Object.fromEntries(values);
}

/**
 * Reads what sets an option: its flags, or else its variable, or else its default. There are
 * several items only if the option is a list, and none if it is unset. An empty flag is not unset,
 * but an empty variable is.
 */
function readItems(name: string, option: Option, flags: Flags, environment: Environment): unknown[] {
  const flag = `--${name}`;
  const inFlags = flags[name];
  if (inFlags) {
    // If a flag that is no list is given several times, the last one counts.
    const counted = option.isList ? inFlags : inFlags.slice(-1);
    return counted.map((given) => typeof given === "boolean" ? given : parse(given, flag, option));
  }
  for (const source of [option.variable, option.alias]) {
    if (source === undefined) continue;
    const text = environment(source) ?? "";
    if (text.trim() === "") continue;
    const items = option.isList ? splitList(text, source) : [text];
    return items.map((item) => parse(item, source, option));
  }
  return option.default === undefined ? [] : [parse(option.default, flag, option)];
}

/** @throws {SettingError} If an item is empty: a value may be missing there, such as that of another variable. */
function splitList(text: string, source: string): string[] {
  const items = text.trim().split(/,|[\r\n]+/);
  if (items.every((item) => item.trim() !== "")) return items;
  throw new SettingError(
    `${source} has no value before or after a comma or a line end; add the value, or remove the mark`,
  );
}

function parse(given: string, source: string, { format }: Option): unknown {
  const text = normalize(given, source);
  const value = checkAsSetting(() => format.parse(text), source);
  if (value !== undefined) return value;
  // An address with an @ may have a password, so it is not quoted.
  const quoted = text.includes("@") ? "" : `, not ${JSON.stringify(text)}`;
  throw new SettingError(`${source} must be ${format.description}${quoted}`);
}
