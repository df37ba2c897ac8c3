import type { CommandArguments } from "../settings/arguments.ts";
import type { Runtime } from "../serving/runtime.ts";
import { type Options, type SettingName, SETTINGS } from "../settings/flags.ts";
import type { Writers } from "../process/writers.ts";

/** A command of the program, as its help text describes it. */
export interface Command {
  /** The purpose, in one line. */
  summary: string;
  /** The settings that it reads. By default the store alone. */
  settings?: readonly SettingName[];
  /** The options that it alone has. They have no environment variables. */
  flags?: Options;
  /** The name of its one argument. Without a name, it takes flags only. */
  operand?: string;
  /** Whether it cannot run without this argument. */
  needsOperand?: true;
  /** What a failure begins with, if its reason does not say it. */
  failure?: string;
  /** What its help text says beside the summary. An empty line separates paragraphs. */
  about: string;
  examples: readonly string[];
  /** The meanings of the exit statuses 0, 1 and 2, if they differ from those of other commands. */
  statuses?: readonly [string, string, string];
  /** Whether it serves. The output of a server is only a log. */
  serves?(args: CommandArguments): boolean;
  /**
   * @returns The exit status.
   * @throws {SettingError} If it fails. The class determines the exit status.
   */
  run(args: CommandArguments, context: Context): number | Promise<number>;
}

/** The parts of the process that commands use. */
export interface Context {
  /** The result goes to the output, and everything else to the errors. */
  writers: Writers;
  runtime: Runtime;
}

/** All options of a command, in the order of its help text. */
export function optionsOf({ settings = ["store"], flags }: Command): Options {
  return {
    ...Object.fromEntries(settings.map((name) => [name, SETTINGS[name]])),
    ...flags,
    help: { help: "print this text" },
    version: { help: "print the version" },
  };
}

/** Formats a number of pets for messages. */
export function formatPetCount(count: number | bigint): string {
  return Number(count) === 1 ? "1 pet" : `${count} pets`;
}
