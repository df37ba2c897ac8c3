import { BACKUP } from "./backup.ts";
import { ADD_KEY, LIST_KEYS, PURGE_KEYS, REVOKE_KEY, ROTATE_KEY } from "./keys.ts";
import { CHECK } from "./check.ts";
import type { Command } from "./command.ts";
import { CONFORM } from "./conform.ts";
import { EXPORT } from "./export.ts";
import { IMPORT } from "./import.ts";
import { OPENAPI } from "./openapi.ts";
import { RESTORE } from "./restore.ts";
import { SERVE } from "./serve.ts";

/** Every command by its name, in the order of the help text. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  serve: SERVE,
  "keys add": ADD_KEY,
  "keys list": LIST_KEYS,
  "keys rotate": ROTATE_KEY,
  "keys revoke": REVOKE_KEY,
  "keys purge": PURGE_KEYS,
  openapi: OPENAPI,
  import: IMPORT,
  export: EXPORT,
  check: CHECK,
  conform: CONFORM,
  backup: BACKUP,
  restore: RESTORE,
};

/** The command that runs if none is named. */
export const DEFAULT_COMMAND = "serve";
