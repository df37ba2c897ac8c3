import type { Command } from "./command.ts";

const keys = () => import("./keys.ts");

/** Every command by its name, in the order of the help text. Only what runs is loaded: a server starts earlier without the others. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./serve.ts")).SERVE,
  "keys add": async () => (await keys()).ADD_KEY,
  "keys list": async () => (await keys()).LIST_KEYS,
  "keys rotate": async () => (await keys()).ROTATE_KEY,
  "keys revoke": async () => (await keys()).REVOKE_KEY,
  "keys purge": async () => (await keys()).PURGE_KEYS,
  openapi: async () => (await import("./openapi.ts")).OPENAPI,
  import: async () => (await import("./import.ts")).IMPORT,
  export: async () => (await import("./export.ts")).EXPORT,
  check: async () => (await import("./check.ts")).CHECK,
  conform: async () => (await import("./conform.ts")).CONFORM,
  backup: async () => (await import("./backup.ts")).BACKUP,
  restore: async () => (await import("./restore.ts")).RESTORE,
};

/** The command that runs if none is named. */
export const DEFAULT_COMMAND = "serve";
