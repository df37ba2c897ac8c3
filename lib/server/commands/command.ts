import type { Context } from "../serving/runtime.ts";
import { type Flags, type Options, readValues, type Values } from "../settings/options.ts";

/** What the help text shows of a command, and what its end means. */
interface CommandFacts<Given extends Options> {
  /** What the command is for, in one line. */
  summary: string;
  /** In the order of the help text. */
  options: Given;
  /** The name of its one argument, for texts. If absent, the command takes flags only. */
  operand?: string;
  /** Whether the command can run without its operand. One that is given and empty is always refused. */
  isOperandOptional?: true;
  /**
   * What the message of an unexpected error begins with, such as `The backup failed`. A {@link SettingError} and the error of a store explain
   * themselves. If absent, an unexpected error is a bug and ends the program, unless the system has thrown it.
   */
  failure?: string;
  /** The paragraphs of its help text below the flags. An empty line separates them. */
  about: string;
  examples: readonly string[];
  /**
   * Whether the output only reports work, as the log of a server and the line of an import do. The command has then succeeded even if its
   * output cannot be written: a status that asks for another attempt would add all pets again. If absent, the output is the result.
   */
  mayLoseOutput?: true;
}

/** A command as its file declares it. The types of the values that it gets follow from its options. */
interface CommandDeclaration<Given extends Options> extends CommandFacts<Given> {
  /**
   * @param operand "" if none is given.
   * @returns The exit status, if it is not 0.
   * @throws {SettingError} If it fails. The class of the error determines the exit status.
   * @throws The error of a store, whose cause determines it.
   */
  run(values: Values<Given>, context: Context, operand: string): void | Promise<number | void>;
}

/** A command of the program. It reads the values of its flags by itself, so all commands have one type. */
export interface Command extends CommandFacts<Options> {
  /** Runs the command, as its declaration says. Fails too if a flag or a variable has an invalid value. */
  run(flags: Flags, context: Context, operand: string): Promise<number | void>;
}

/** Makes a command of its declaration. The options of every command are added. */
export function declareCommand<const Given extends Options>(declaration: CommandDeclaration<Given>): Command {
  const { options } = declaration;
  return {
    ...declaration,
    options: { ...options, ...COMMON_OPTIONS },
    async run(flags, context, operand) {
      return await declaration.run(readValues(options, flags, context.environment), context, operand);
    },
  };
}

const COMMON_OPTIONS: Options = {
  help: { short: "h", help: "print this text" },
  version: { short: "v", help: "print the version" },
};
