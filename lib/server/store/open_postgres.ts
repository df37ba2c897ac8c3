import type { Socket } from "node:net";
import { type CheckedSchema, inspectPostgresStore, listPostgresKeys } from "../../stores/postgres/check.ts";
import { exportPostgres } from "../../stores/postgres/exporter.ts";
import { openPostgresImporter } from "../../stores/postgres/importer.ts";
import { createPostgresStore, type PostgresStoreOptions } from "../../stores/postgres/postgres_store.ts";
import { asUnavailable, isTemporary } from "../../stores/postgres/client/errors.ts";
import type { ExportFormat, PetSink } from "../../stores/pet_exporter.ts";
import type { PetImporter } from "../../stores/pet_importer.ts";
import type { StoredKey } from "../../stores/key_store.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { firstLine, SettingError, UnreachableError } from "../process/start_error.ts";
import type { OpenStore } from "./new_file.ts";
import { Hosts, type ServerState } from "./postgres_hosts.ts";
import { driverOptions } from "./postgres_options.ts";
import { type Connect, createPool, type DriverClient } from "./postgres_pool.ts";
import { describePostgres, type PostgresTarget } from "./postgres_url.ts";

const READ_STATE =
  "SELECT pg_catalog.pg_is_in_recovery()::text, pg_catalog.current_setting('default_transaction_read_only')";

/** Not part of the other statement, because some databases with PostgreSQL's protocol lack these functions. */
const READ_TIMELINE = "SELECT pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8)";

/** @param driver The specifier of the driver. */
type Open<T> = (target: PostgresTarget, driver: string) => Promise<T>;

export const openPostgres: Open<OpenStore> = (...to) => usePostgres(...to, createPostgresStore);
export const openImporter: Open<PetImporter> = (...to) => usePostgres(...to, openPostgresImporter);

export const listKeysOfPostgres: Open<readonly StoredKey[]> = (...to) => usePostgres(...to, listPostgresKeys);

export const inspectPostgres: Open<CheckedSchema> = (...to) => usePostgres(...to, inspectPostgresStore);

/** @throws {SettingError} If the pets cannot be read. An error of `write` is thrown as it is. */
export async function exportFromPostgres(
  target: PostgresTarget,
  driver: string,
  format: ExportFormat,
  write: PetSink,
): Promise<void> {
  const source = await usePostgres(target, driver, (...source) => Promise.resolve(source));
  try {
    await exportPostgres(...source, format, write);
  } catch (error) {
    throw error instanceof StoreUnavailableError ? explain(target, "read", error) : error;
  }
}

async function usePostgres<T>(
  target: PostgresTarget,
  driver: string,
  use: (makeClient: () => DriverClient, options: PostgresStoreOptions) => Promise<T>,
): Promise<T> {
  try {
    const connect = await loadDriver(target, driver);
    const hosts = new Hosts(target, (socket) => readState(connect, socket));
    // Before the store opens, because the store's time limit is too short for several silent hosts.
    await hosts.choose().catch((error) => {
      throw asUnavailable(error);
    });
    const { schema, prepare, poolSize: size } = target;
    // The store ends a client whose connections hang, so the next one asks all hosts again.
    const makeClient = () => createPool({ size, connect, dial: () => hosts.dial(), onBreak: () => hosts.forget() });
    return await use(makeClient, { prepare, ...(schema !== undefined && { schema }) });
  } catch (error) {
    throw error instanceof SettingError ? error : explain(target, "opened", error);
  }
}

function explain(target: PostgresTarget, attempt: string, error: unknown): SettingError {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const line = `${describePostgres(target)} cannot be ${attempt}: ${message}`;
  return cause !== undefined && isTemporary(cause) ? new UnreachableError(line) : new SettingError(line);
}

/** @param driver Not a literal, because Deno loads the package of a literal `import()` at every start, even for another store. */
async function loadDriver(target: PostgresTarget, driver: string): Promise<Connect> {
  let create: Connect;
  try {
    ({ default: create } = await import(driver));
  } catch (error) {
    // On Node, the driver is no part of the package. On Deno, its specifier is a package that is downloaded when it is needed.
    const command = /^npm:/.test(driver) ? `deno cache --no-config ${driver}` : `npm install ${driver}@3`;
    throw new SettingError(`The PostgreSQL driver cannot be loaded: ${firstLine(error)}; install it by ${command}`);
  }
  return (settings) => create({ ...driverOptions(target), ...settings });
}

async function readState(connect: Connect, socket: Socket): Promise<ServerState> {
  const client = connect({
    max: 1,
    socket() {
      if (socket.destroyed) throw new Error("The connection was lost");
      return socket;
    },
  });
  try {
    const [[standby, readOnly] = []] = await client.unsafe(READ_STATE, [], { prepare: false }).values() as string[][];
    const isStandby = standby === "true";
    return { isStandby, isReadOnly: readOnly === "on", timeline: isStandby ? 0 : await readTimeline(client) };
  } finally {
    await client.end({ timeout: 0 });
  }
}

async function readTimeline(client: DriverClient): Promise<number> {
  try {
    const [[timeline = ""] = []] = await client.unsafe(READ_TIMELINE, [], { prepare: false }).values() as string[][];
    return Number.parseInt(timeline, 16) || 0;
  } catch {
    return 0;
  }
}
