import type { Host } from "../host.ts";
import type { Environment, Flags, SettingName } from "../settings.ts";
import type { Writers } from "../writers.ts";

/** A command of the program, as its help text describes it. */
export interface Command {
  /** What it does, in one line. */
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
  /** Whether it serves, so that its output is only a log. */
  serves?(given: Given): boolean;
  /**
   * @returns The exit status.
   * @throws {SettingError} If it fails. The class decides about the exit status.
   */
  run(given: Given, context: Context): number | Promise<number>;
}

/** A flag that is no setting, so it has no environment variable. */
export interface Flag {
  /** The name of its value in the help text. Without one, it takes no value. */
  value?: string;
  help: string;
}

/** A command line after the command. */
export interface Given {
  flags: Flags;
  /** The argument that is not a flag, or "". */
  operand: string;
}

/** What commands get from the process. */
export interface Context {
  /** The result goes to the output, and everything else to the errors. */
  writers: Writers;
  environment: Environment;
  host: Host;
}

/** A number of pets, for people. */
export function showPets(count: bigint): string {
  return count === 1n ? "1 pet" : `${count} pets`;
}
