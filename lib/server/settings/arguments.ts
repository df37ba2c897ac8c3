/** The arguments of a command: flags, completed by environment variables and defaults. */

import type { Environment, Options } from "./flags.ts";
import { SettingError } from "../process/start_error.ts";

/** How the text of a value is read. */
export interface Format<T> {
  /** The valid texts, for messages. */
  form: string;
  /** Undefined if the text is not valid. */
  parse(text: string): T | undefined;
}

/** The values of each given flag, in order. A switch has "on" or "off". */
type Flags = ReadonlyMap<string, readonly string[]>;

/** The arguments of a command. */
export type CommandArguments = ReturnType<typeof createArguments>;

/** @param operand The argument that is not a flag, or "". */
export function createArguments(options: Options, flags: Flags, operand: string, environment: Environment) {
  /** The name of the variable that sets an option, if one does. An empty variable counts as unset. */
  function variableOf(name: string): string | undefined {
    const { variable = "", alias = "" } = options[name] ?? {};
    return [variable, alias].find((each) => each !== "" && environment(each));
  }

  function valueOf(name: string): string {
    const variable = variableOf(name);
    return variable === undefined ? "" : environment(variable) ?? "";
  }

  /** The value of a flag, if it is given. */
  function flag(name: string): string | undefined {
    return flags.get(name)?.at(-1);
  }

  /** The text of an option, or "" if it is unset. The last one of several flags counts. */
  function text(name: string): string {
    return flag(name) ?? (valueOf(name) || (options[name]?.default ?? ""));
  }

  /** The texts of a list. Empty ones are kept, so that the mistake of two commas in a row is reported. */
  function list(name: string): string[] {
    const given = flags.get(name);
    return given ? [...given] : splitList(valueOf(name));
  }

  /** @throws {SettingError} If the text is invalid. */
  function read<T>(name: string, { form, parse }: Format<T>): T {
    const given = text(name);
    return parse(given) ?? refuse(name, form, given);
  }

  function readList<T>(name: string, { form, parse }: Format<T>): T[] {
    return list(name).map((given) => parse(given) ?? refuse(name, form, given));
  }

  function refuse(name: string, form: string, given: string): never {
    const source = flags.has(name) ? undefined : variableOf(name);
    throw new SettingError(`${source ?? `--${name}`} must be ${form}, not ${JSON.stringify(given)}`);
  }

  /** Like {@link read}, for an option that may be unset. */
  function optional<T>(name: string, format: Format<T>): T | undefined {
    return flags.has(name) || text(name) !== "" ? read(name, format) : undefined;
  }

  /** @throws {SettingError} If the variable of the switch is neither on nor off. */
  function isOn(name: string): boolean {
    return optional(name, oneOf("on", "off")) === "on";
  }

  return { operand, flag, text, list, read, readList, optional, isOn };
}

/** The items of a variable, or of a file, which may also have one on each line. */
export function splitList(text: string): string[] {
  return text === "" ? [] : text.split(/,|[\r\n]+/).map((item) => item.trim());
}

export function numberFrom(least: number, most: number): Format<number> {
  return {
    form: `a number from ${least} to ${most}`,
    parse(text) {
      const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
      return number >= least && number <= most ? number : undefined;
    },
  };
}

export function oneOf<Choice extends string>(...choices: readonly Choice[]): Format<Choice> {
  const form = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(choices);
  return { form, parse: (text) => choices.find((choice) => choice === text) };
}
