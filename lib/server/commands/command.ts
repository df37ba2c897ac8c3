import type { CommandArguments } from "../settings/arguments.ts";
import type { Runtime } from "../serving/runtime.ts";
import { type Options, type SettingName, SETTINGS } from "../settings/flags.ts";
import type { Writers } from "../process/writers.ts";
import { SettingError } from "../process/start_error.ts";
import { readStoreSetting } from "../store_setting/open_store.ts";
import type { SharedStore, StoreSetting } from "../store_setting/store_setting.ts";

/** A command of the program, as its help text describes it. */
export interface Command {
  /** What the command is for, in one line. */
  summary: string;
  /** The settings that the command reads. If absent, it reads `store` alone. */
  settings?: readonly SettingName[];
  /** The options that only this command has, without variables, or a setting that has another help text here. */
  flags?: Options;
  /** The name of its one argument, for texts. If absent, the command takes flags only. */
  operand?: string;
  /** Whether the command can run without its operand. One that is given and empty is always refused. */
  isOperandOptional?: true;
  /**
   * What the message of an unexpected error begins with, such as `The backup failed`. A {@link SettingError} and the error of a store explain
   * themselves. If absent, an unexpected error is a bug and ends the program.
   */
  failure?: string;
  /** The paragraphs of its help text below the flags. An empty line separates them. */
  about: string;
  examples: readonly string[];
  /**
   * Whether the output only reports work, as the log of a server and the line of an import do. The command has then succeeded even if its
   * output cannot be written: a status that asks for another attempt would add all pets again. If absent, the output is the result.
   */
  isDoneWithoutOutput?: true;
  /**
   * @returns The exit status.
   * @throws {SettingError} If it fails. The class of the error determines the exit status.
   * @throws The error of a store, whose cause determines it.
   */
  run(args: CommandArguments, context: Context): number | Promise<number>;
}

/** The parts of the process that commands use. */
export interface Context {
  /** Standard output gets the result of the command, and standard error all other lines. */
  writers: Writers;
  runtime: Runtime;
}

/** All options of a command, in the order of its help text. */
export function optionsOf({ settings = ["store"], flags }: Command): Options {
  return {
    ...Object.fromEntries(settings.map((name) => [name, SETTINGS[name]])),
    ...flags,
    help: { short: "h", help: "print this text" },
    version: { short: "v", help: "print the version" },
  };
}

/**
 * The setting of the store, which is not open yet.
 *
 * @throws {SettingError} If other programs cannot reach the store.
 */
export async function readSharedStore(
  args: CommandArguments,
  { runtime }: Context,
): Promise<StoreSetting & { shared: SharedStore }> {
  const setting = await readStoreSetting(args.text("store"), runtime.environment);
  if (setting.shared) return { ...setting, shared: setting.shared };
  throw new SettingError("A store in memory belongs to one server; name a file or a database, or use the API");
}

/** @throws {SettingError} If the store is no SQLite file. */
export async function readStorePath(args: CommandArguments, { runtime }: Context): Promise<string> {
  const { path } = await readStoreSetting(args.text("store"), runtime.environment);
  if (path !== undefined) return path;
  throw new SettingError("Only an SQLite file can be backed up or restored; for PostgreSQL use pg_dump and pg_restore");
}
