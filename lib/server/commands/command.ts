import type { Host } from "../host.ts";
import type { Environment, Flags, SettingName } from "../settings.ts";
import type { Writers } from "../writers.ts";

/** A command of the program, as its help text describes it. */
export interface Command {
  /** The purpose, in one line. */
  summary: string;
  /** The settings that it reads. */
  settings: readonly SettingName[];
  /** The flags that it alone has. */
  flags?: Readonly<Record<string, Flag>>;
  /** The name of its one argument. Without a name, it takes flags only. */
  operand?: string;
  /** Paragraphs of its help text. */
  about: readonly string[];
  examples: readonly string[];
  /** Whether it serves. The output of a server is only a log. */
  serves?(args: CommandArguments): boolean;
  /**
   * @returns The exit status.
   * @throws {SettingError} If it fails. The class determines the exit status.
   */
  run(args: CommandArguments, context: Context): number | Promise<number>;
}

/** A flag that is not a setting, and so has no environment variable. */
export interface Flag {
  /** The name of its value in the help text. Without a name, the flag has no value. */
  value?: string;
  help: string;
}

/** The parsed arguments after the command. */
export interface CommandArguments {
  flags: Flags;
  /** The argument that is not a flag, or "". */
  operand: string;
}

/** The parts of the process that commands use. */
export interface Context {
  /** The result goes to the output, and everything else to the errors. */
  writers: Writers;
  environment: Environment;
  host: Host;
}

/** Formats a number of pets for messages. */
export function formatPetCount(count: bigint): string {
  return count === 1n ? "1 pet" : `${count} pets`;
}
