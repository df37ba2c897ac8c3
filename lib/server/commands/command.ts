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
  /**
   * Whether its output only tells of its work, as the log of a server and the report of an import do. The work is then done even if the
   * output cannot be written: a status that asks for another attempt would add all pets again.
   */
  isDoneWithoutOutput?: true;
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
    help: { short: "h", help: "print this text" },
    version: { short: "v", help: "print the version" },
  };
}

export function readStore(args: CommandArguments, { runtime }: Context): Promise<StoreSetting> {
  return readStoreSetting(args.text("store"), runtime.environment);
}

/** @throws {SettingError} If other programs cannot reach the store. */
export async function readSharedStore(args: CommandArguments, context: Context): Promise<SharedStore> {
  const { shared } = await readStore(args, context);
  if (shared) return shared;
  throw new SettingError("A store in memory belongs to one server; name a file or a database, or use the API");
}

/** @throws {SettingError} If the store is no SQLite file. */
export async function readStorePath(args: CommandArguments, context: Context): Promise<string> {
  const { path } = await readStore(args, context);
  if (path !== undefined) return path;
  throw new SettingError("Only an SQLite file can be backed up or restored; for PostgreSQL use pg_dump and pg_restore");
}
