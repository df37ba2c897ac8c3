import type { Command } from "./command.ts";

const backup = () => import("./backup.ts");
const check = () => import("./check.ts");
const exportPets = () => import("./export.ts");
const importPets = () => import("./import.ts");
const keys = () => import("./keys.ts");
const openapi = () => import("./openapi.ts");
const ready = () => import("./ready.ts");
const restore = () => import("./restore.ts");
const schema = () => import("./schema.ts");
const serve = () => import("./serve.ts");

/**
 * Every command by its name, in the order of the help text. A command is loaded when it runs. This is for speed: a server starts earlier
 * without the code of the others.
 */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await serve()).SERVE,
  "keys add": async () => (await keys()).ADD_KEY,
  "keys list": async () => (await keys()).LIST_KEYS,
  "keys rotate": async () => (await keys()).ROTATE_KEY,
  "keys revoke": async () => (await keys()).REVOKE_KEY,
  openapi: async () => (await openapi()).OPENAPI,
  import: async () => (await importPets()).IMPORT,
  export: async () => (await exportPets()).EXPORT,
  check: async () => (await check()).CHECK,
  ready: async () => (await ready()).READY,
  backup: async () => (await backup()).BACKUP,
  restore: async () => (await restore()).RESTORE,
  schema: async () => (await schema()).SCHEMA,
};

/** The name of the command that runs if a command line names none. */
export const DEFAULT_COMMAND = "serve";
