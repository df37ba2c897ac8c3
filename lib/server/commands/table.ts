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

/** Every command by its name, in the order of the help text. Only what runs is loaded: a server starts earlier without the others. */
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

/** The command that runs if none is named. */
export const DEFAULT_COMMAND = "serve";
