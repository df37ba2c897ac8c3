/**
 * Reads the flags of a command line. `parseArgs()` of Node only splits the words here: its own
 * checks throw errors that name the flag in prose alone, and we suggest the flag that a mistyped
 * one may mean.
 */

import { parseArgs } from "node:util";
import { SettingError } from "../process/start_error.ts";
import { didYouMean } from "../process/suggestion.ts";
import { SWITCH } from "../settings/formats.ts";
import type { Flags, Options } from "../settings/options.ts";

/** The words after the name of a command. */
export interface Words {
  /** In the order in which they were given. */
  flags: GivenFlag[];
  operands: string[];
}

/** A flag as it was given. It may be unknown. */
interface GivenFlag {
  /** The name without dashes, such as `port`, `help` for `-h`, or `no-docs`. */
  name: string;
  /** The name as it was written, such as `--port` or `-h`. */
  rawName: string;
  /** Undefined if the flag was given without a value. */
  value: string | undefined;
  /** Whether the value was written in the same word, as in `--port=9000`. */
  inlineValue: boolean | undefined;
}

/** Splits words into flags and operands. Nothing is checked. */
export function splitWords(words: readonly string[], options: Options): Words {
  const types = Object.entries(options).map(([name, { format, short }]) => {
    return [name, { type: format === SWITCH ? "boolean" : "string", ...(short && { short }) }] as const;
  });
  const { tokens, positionals: operands } = parseArgs({
    args: [...words],
    options: Object.fromEntries(types),
    strict: false,
    tokens: true,
  });
  return { flags: tokens.filter((token) => token.kind === "option"), operands };
}

/**
 * Checks flags, and collects the values of each. The values themselves are not checked.
 *
 * @param advice The end of a message about a wrong flag.
 * @throws {SettingError} If a flag is unknown, lacks its value, or is a switch and has one.
 */
export function readFlags(given: readonly GivenFlag[], options: Options, advice: string): Flags {
  const flags: Record<string, (string | boolean)[]> = {};
  for (const flag of given) {
    const { name, isOn } = readName(flag.name, options);
    const fault = faultOf(flag, name, isOn, options);
    if (fault !== undefined) throw new SettingError(`${fault}; ${advice}`);
    (flags[name] ??= []).push(flag.value ?? isOn);
  }
  return flags;
}

/** The option that a flag names, and whether the flag switches it on. The option may be unknown. */
function readName(name: string, options: Options): { name: string; isOn: boolean } {
  // `--no-docs`, `--no-port`
  const isOff = name.startsWith("no-") && !Object.hasOwn(options, name);
  if (isOff) return { name: name.slice("no-".length), isOn: false };
  // `--docs`, `--port`, `--prot`
  return { name, isOn: true };
}

/** Says what is wrong with a flag, if anything is. The words are those of `parseArgs()`. */
function faultOf(flag: GivenFlag, name: string, isOn: boolean, options: Options): string | undefined {
  const { rawName, value, inlineValue } = flag;
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  // `--prot 9000`
  if (!option) return unknownOption(rawName, name, options);
  const forms = option.short === undefined ? `--${name}` : `-${option.short}, --${name}`;
  if (option.format === SWITCH) {
    // `--docs` and `--no-docs` are right, and `--docs=on` is not.
    return value === undefined ? undefined : `Option '${forms}' does not take an argument`;
  }
  // `--no-port`
  if (!isOn) return unknownOption(rawName, name, options);
  // `--port` without a value
  if (value === undefined) return `Option '${forms} <value>' argument missing`;
  // `--store --port 9000`, where the value of `--store` is missing. `--store=--port` is right.
  if (!inlineValue && value.length > 1 && value.startsWith("-")) return `Option '${rawName}' argument is ambiguous`;
  return undefined;
}

function unknownOption(rawName: string, name: string, options: Options): string {
  const suggestion = rawName.startsWith("--") ? didYouMean(name, Object.keys(options), "--") : "";
  return `Unknown option '${rawName}'${suggestion}`;
}
