/** Turns the `--store` setting into a store. */

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { createMemoryStore } from "../../stores/memory/memory_store.ts";
import { SqliteStore } from "../../stores/sqlite/store.ts";
import type { WriterAccess } from "../../stores/sqlite/writer_messages.ts";
import { isPassing } from "../../stores/postgres/client/errors.ts";
import { type PetStore, StoreUnavailableError } from "../../stores/store.ts";
import { makeFolderFor } from "../folders.ts";
import { SettingError, startError, UnreachableError } from "../start_error.ts";
import { KeptFiles } from "./kept_files.ts";
import { describePostgres, openPostgres } from "./open_postgres.ts";
import { type PostgresTarget, readPostgresUrl } from "./postgres_url.ts";

/** A store that can be opened. */
export interface StoreSetting {
  /** The setting without its secrets, for messages. */
  description: string;
  /** Whether the open store needs permission to read files here. SQLite's store checks that its files are in place. */
  needsRead: boolean;
  /** Whether several isolates can open it. */
  isShareable: boolean;
  /**
   * Opens the store.
   *
   * @throws {SettingError} If it cannot be opened.
   */
  open(): PetStore | Promise<PetStore>;
  /** Opens it in the main isolate for workers, which write through it. Absent if each worker writes for itself. */
  openForWorkers?(): Promise<SqliteStore>;
  /** Opens it in a worker. */
  openInWorker?(access: WriterAccess): Promise<PetStore>;
}

const MEMORY = "memory:";
const SQLITE = "sqlite:";
const POSTGRES = /^postgres(ql)?:\/\//;

/**
 * Parses a `--store` setting. Opens nothing yet.
 *
 * @throws {SettingError} If the setting is invalid.
 */
export function readStoreSetting(setting: string, environment: (name: string) => string | undefined): StoreSetting {
  if (setting === MEMORY) {
    const description = `${setting} (lost when the server stops)`;
    return { description, needsRead: false, isShareable: false, open: createMemoryStore };
  }
  if (POSTGRES.test(setting)) {
    const target = readPostgresUrl(setting, environment);
    const description = describePostgres(target);
    return { description, needsRead: false, isShareable: true, open: () => tryPostgres(target) };
  }
  if (setting.startsWith(SQLITE) && setting !== SQLITE) {
    const path = setting.slice(SQLITE.length);
    const isFile = path !== ":memory:";
    const isConfined = isFile && canConfine();
    return {
      ...{ description: setting, needsRead: !isConfined, isShareable: isFile },
      open: () => openSqlite(path, isConfined ? (opened) => new KeptFiles(opened) : "thread"),
      async openForWorkers() {
        const store = await openSqlite(path, "thread");
        await store.startWriter();
        return store;
      },
      openInWorker: (access) => openSqliteInWorker(path, access),
    };
  }
  // The message may show the name of a database file, but no other text, because it may contain a secret.
  if (/^[\w./~-]+\.(db|sqlite3?)$/.test(setting)) {
    throw new SettingError(`The store ${setting} must begin with its kind: ${SQLITE}${setting} for a file`);
  }
  throw new SettingError("The store must be memory:, sqlite:<path> or postgres://…");
}

/**
 * Whether an isolate with permissions of its own can be started. Without the flag for that, Deno would end the process. Both
 * unstable flags belong together, and only the other one shows.
 */
function canConfine(): boolean {
  const lib = new URL("../../", import.meta.url);
  const isReadable = lib.protocol !== "file:" ||
    Deno.permissions.querySync({ name: "read", path: lib }).state === "granted";
  return isReadable && "listenDatagram" in Deno;
}

async function openSqlite(path: string, writer: ConstructorParameters<typeof SqliteStore>[1]): Promise<SqliteStore> {
  try {
    // Only if necessary, because creating a folder needs more permissions than creating a database in it.
    if (isMissing(dirname(path))) makeFolderFor(path);
    const store = new SqliteStore(path, writer);
    // A server whose isolate for files did not start would refuse every create.
    await store.check();
    return store;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw startError(error instanceof StoreUnavailableError ? message : `${path} cannot be opened: ${message}`, error);
  }
}

/**
 * A worker may start when the file has been moved. It must not open another one at this path, or make one. So the file must be
 * in its place before and after it is opened.
 */
async function openSqliteInWorker(path: string, access: WriterAccess): Promise<PetStore> {
  try {
    await access.requireInPlace?.();
    const store = new SqliteStore(path, () => access);
    await store.startWriter();
    await access.requireInPlace?.();
    return store;
  } catch (error) {
    throw new UnreachableError(error instanceof Error ? error.message : String(error));
  }
}

/** Whether a path does not exist. An unreadable one counts as existing, because opening it gives a better message. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

async function tryPostgres(target: PostgresTarget): Promise<PetStore> {
  try {
    return await openPostgres(target);
  } catch (error) {
    if (error instanceof SettingError) throw error;
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    const line = `${describePostgres(target)} cannot be opened: ${message}`;
    throw cause !== undefined && isPassing(cause) ? new UnreachableError(line) : new SettingError(line);
  }
}
