import type { Context } from "../process/runtime.ts";
import { SWITCH } from "../settings/formats.ts";
import type { Options, Values } from "../settings/options.ts";

/** A command of the program. The types of the values that it gets follow from its options. */
export interface Command<Given extends Options = Options> {
  /** What the command is for, in one line. */
  summary: string;
  /** In the order of the help text. */
  options: Given;
  /** The name of its one argument, for texts. If absent, the command takes flags only. */
  operand?: string;
  /** Whether the command can run without its operand. One that is given and empty is always refused. */
  isOperandOptional?: true;
  /**
   * What the message of an unexpected error begins with, such as `The backup failed`. A
   * {@link SettingError} and the error of a store explain themselves. If absent, an unexpected
   * error is a bug and ends the program, unless the system has thrown it.
   */
  failure?: string;
  /** The paragraphs of its help text below the flags. An empty line separates them. */
  about: string;
  examples: readonly string[];
  /**
   * Whether the output only reports work, as the log of a server and the line of an import do. The
   * command has then succeeded even if its output cannot be written: a status that asks for another
   * attempt would add all pets again. If absent, the output is the result.
   */
  mayLoseOutput?: true;
  /**
   * @param operand "" if none is given.
   * @returns The exit status, if it is not 0.
   * @throws {SettingError} If it fails. The class of the error determines the exit status.
   * @throws The error of a store, whose cause determines it.
   */
  run(values: Values<Given>, context: Context, operand: string): void | Promise<number | void>;
}

/** Adds the options of every command. The result is a `Command` of any options, so one table can hold all. */
export function declareCommand<const Given extends Options>(command: Command<Given>): Command {
  return { ...command, options: { ...command.options, ...COMMON_OPTIONS } };
}

/** The operand that means standard input or output. */
export const STANDARD = "-";

const COMMON_OPTIONS: Options = {
  help: { format: SWITCH, short: "h", help: "print this text" },
  version: { format: SWITCH, short: "v", help: "print the version" },
};
