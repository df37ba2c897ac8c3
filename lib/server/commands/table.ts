import { BACKUP } from "./backup.ts";
import { CHECK } from "./check.ts";
import type { Command } from "./command.ts";
import { OPENAPI } from "./openapi.ts";
import { SERVE } from "./serve.ts";

/** Every command by its name, in the order of the help text. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  serve: SERVE,
  openapi: OPENAPI,
  check: CHECK,
  backup: BACKUP,
};

/** The command that runs if none is named. */
export const DEFAULT_COMMAND = "serve";
