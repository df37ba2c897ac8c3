import type { Command } from "./command.ts";

/**
 * Every command by its name, in the order of the help text. A command is loaded when it runs. This
 * is for speed: a server starts earlier without the code of the others.
 */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./serve.ts")).SERVE,
  "keys add": async () => (await import("./keys.ts")).ADD_KEY,
  "keys list": async () => (await import("./keys.ts")).LIST_KEYS,
  "keys rotate": async () => (await import("./keys.ts")).ROTATE_KEY,
  "keys revoke": async () => (await import("./keys.ts")).REVOKE_KEY,
  openapi: async () => (await import("./openapi.ts")).OPENAPI,
  import: async () => (await import("./import.ts")).IMPORT,
  export: async () => (await import("./export.ts")).EXPORT,
  check: async () => (await import("./check.ts")).CHECK,
  ready: async () => (await import("./ready.ts")).READY,
  backup: async () => (await import("./backup.ts")).BACKUP,
  restore: async () => (await import("./restore.ts")).RESTORE,
  schema: async () => (await import("./schema.ts")).SCHEMA,
};

/** The name of the command that runs if a command line names none. */
export const DEFAULT_COMMAND = "serve";
