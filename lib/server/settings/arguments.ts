/** The arguments of a command. A flag has precedence over an environment variable, and this one over a default. */

import { SettingError } from "../process/start_error.ts";
import type { Environment, Options } from "./flags.ts";
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
  /** The value of an option, which is set or has a default. */
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

/** The text of an option, and the flag or the variable that has set it, for messages. */
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
  /**
   * Finds the variable that sets an option, and its text as it is. An option may have a second variable ("alias"), for platforms that set one
   * of their own. A variable counts as unset if it is empty, or if a platform has set it to the address of a service.
   */
  function findVariable(name: string): Given | undefined {
    const { variable = "", alias = "" } = options[name] ?? {};
    for (const source of [variable, alias]) {
      const text = source === "" ? "" : environment(source) ?? "";
      if (text.trim() !== "" && !isServiceLink(source, text)) return { text, source };
    }
    return undefined;
  }

  /** Finds the text of an option. The result is undefined if the option is unset and has no default. An empty flag is not unset. */
  function find(name: string): Given | undefined {
    // If a flag is given several times, the last one counts.
    const inFlag = flags.get(name)?.at(-1);
    const given = inFlag === undefined ? findVariable(name) : { text: inFlag, source: `--${name}` };
    if (given) return { ...given, text: normalize(given.text, given.source) };
    const text = options[name]?.default ?? "";
    return text === "" ? undefined : { text, source: `--${name}` };
  }

  /** Finds the items of a list. Each flag has one of them, and a variable has several. */
  function findList(name: string): Given[] {
    const source = `--${name}`;
    const inFlags = flags.get(name);
    if (inFlags) return inFlags.map((item) => ({ text: normalize(item, source), source }));
    const given = findVariable(name);
    if (!given) return [];
    return normalizeList(given.text, given.source).map((text) => ({ text, source: given.source }));
  }

  function readOptional<T>(name: string, format: Format<T>): T | undefined {
    const given = find(name);
    return given && parse(given, format);
  }

  return {
    operand,
    text: (name) => find(name)?.text ?? "",
    list: (name) => findList(name).map(({ text }) => text),
    read: (name, format) => parse(find(name) ?? { text: "", source: `--${name}` }, format),
    readOptional,
    readList: (name, format) => findList(name).map((given) => parse(given, format)),
    isOn: (name) => readOptional(name, oneOf("on", "off")) === "on",
  };
}

function parse<T>({ text, source }: Given, format: Format<T>): T {
  const value = format.parse(text);
  if (value === undefined) throw new SettingError(`${source} must be ${format.form}${quoteUnlessSecret(text)}`);
  return value;
}

/** The end of a message about a wrong text. An address with an @ may have a password, so it is not quoted. */
function quoteUnlessSecret(text: string): string {
  return text.includes("@") ? "" : `, not ${JSON.stringify(text)}`;
}

/**
 * Whether Kubernetes or Docker has set a variable to the address of a service: a service named `petstore` sets
 * `PETSTORE_PORT=tcp://10.43.12.7:8000` in each container. They do so only for names that end in `_PORT`.
 */
function isServiceLink(variable: string, text: string): boolean {
  return variable.endsWith("_PORT") && /^(?:tcp|udp|sctp):\/\//i.test(text.trim());
}
