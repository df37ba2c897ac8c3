import { existsSync } from "node:fs";
import { createMemoryStore } from "../../stores/memory/memory_store.ts";
import type { PetImporter } from "../../stores/pet_importer.ts";
import { openSqliteImporter } from "../../stores/sqlite/importer.ts";
import { SqliteStore, type SqliteWriter } from "../../stores/sqlite/store.ts";
import { followLinks, type OpenedFiles } from "../../stores/sqlite/file.ts";
import { describeMissing } from "../../stores/sqlite/remains.ts";
import type { WriterAccess } from "../../stores/sqlite/writer_messages.ts";
import { type KeyedPetStore, StoreUnavailableError } from "../../stores/store.ts";
import { isPermitted } from "../process/process.ts";
import type { Environment } from "../settings/flags.ts";
import { firstLine, SettingError, startError, UnreachableError } from "../process/start_error.ts";
import { isMissing, type OpenStore, prepareFile } from "./new_file.ts";
import { describePostgres, type PostgresTarget, readPostgresUrl } from "./postgres_url.ts";

export interface StoreSetting {
  /** Without its secrets, for messages. */
  description: string;
  path?: string;
  target?: PostgresTarget;
  /** @throws {SettingError} If it cannot be opened. */
  open(): OpenStore | Promise<OpenStore>;
  /** Absent for a store in memory, which only one isolate can reach. */
  openImporter?(): Promise<PetImporter>;
}

export const MEMORY = "memory:";
const SQLITE = "sqlite:";
const IN_MEMORY = ":memory:";
const POSTGRES = /^postgres(ql)?:\/\//;

export type StoreLocation =
  | { kind: "memory" }
  | { kind: "sqlite"; path: string }
  | { kind: "postgres"; target: PostgresTarget };

/** @throws {SettingError} If the setting is invalid. */
export function parseStoreLocation(setting: string, environment: Environment): StoreLocation {
  if (setting === MEMORY) return { kind: "memory" };
  if (POSTGRES.test(setting)) return { kind: "postgres", target: readPostgresUrl(setting, environment) };
  const path = setting.startsWith(SQLITE) ? setting.slice(SQLITE.length) : "";
  // An address may have a password, and messages quote a path.
  if (path !== "" && !path.includes("://")) return { kind: "sqlite", path };
  // The message may show the name of a database file, but no other text, because it may contain a secret.
  if (/^[\w./~-]+\.(db|sqlite3?)$/.test(setting)) {
    throw new SettingError(`The store ${setting} must begin with its kind: ${SQLITE}${setting} for a file`);
  }
  throw new SettingError("The store must be memory:, sqlite:<path> or postgres://…");
}

/**
 * Opens nothing yet.
 *
 * @throws {SettingError} If the setting is invalid.
 */
export function readStoreSetting(setting: string, environment: Environment, postgresDriver: string): StoreSetting {
  const store = parseStoreLocation(setting, environment);
  if (store.kind === "memory") {
    const description = `${setting} (lost when the server stops)`;
    return { description, open: createMemoryStore };
  }
  if (store.kind === "postgres") {
    const { target } = store;
    return {
      ...{ description: describePostgres(target), target },
      open: async () => await (await loadPostgres()).openPostgres(target, postgresDriver),
      openImporter: async () => await (await loadPostgres()).openImporter(target, postgresDriver),
    };
  }
  const { path } = store;
  return {
    ...{ description: setting, open: () => openSqlite(path, "auto") },
    ...path !== IN_MEMORY && { path, openImporter: () => atPath(path, () => openSqliteImporter(path)) },
  };
}

/** Loaded only when needed, because it takes 3 MB. */
export function loadPostgres(): Promise<typeof import("./open_postgres.ts")> {
  return import("./open_postgres.ts");
}

/** For pets in memory. Relative to the working directory. */
export const KEY_DATABASE = "data/keys.db";

/** Undefined if the database is missing and not to be created. */
export async function openKeyDatabase(createIfMissing: boolean): Promise<SqliteStore | undefined> {
  const exists = isPermitted({ name: "read", path: KEY_DATABASE }) && existsSync(KEY_DATABASE);
  return exists || createIfMissing ? await openSqlite(KEY_DATABASE, "same-thread") : undefined;
}

/** @throws {SettingError} If it cannot be opened, or is missing and must not be created. */
export function openSqlite(path: string, writer: SqliteWriter, createIfMissing = true): Promise<SqliteStore> {
  if (!createIfMissing && isMissing(path)) throw new SettingError(describeMissing(path, followLinks(path)));
  return atPath(path, () => SqliteStore.open(path, writer));
}

async function atPath<T>(path: string, open: () => T | Promise<T>): Promise<T> {
  try {
    if (path !== IN_MEMORY) prepareFile(path);
    return await open();
  } catch (error) {
    if (error instanceof SettingError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw startError(error instanceof StoreUnavailableError ? message : `${path} cannot be opened: ${message}`, error);
  }
}

/** Opens, in a worker, the files that the main isolate has opened. */
export function openSqliteInWorker(opened: OpenedFiles, access: WriterAccess): KeyedPetStore {
  try {
    return SqliteStore.join(opened, access);
  } catch (error) {
    throw new UnreachableError(firstLine(error));
  }
}
