import type { Socket } from "node:net";
import { inspectPostgresStore, listPostgresKeys } from "../../stores/postgres/check.ts";
import { exportPostgres } from "../../stores/postgres/exporter.ts";
import { importPets } from "../../stores/postgres/importer.ts";
import { createPostgresStore, type PostgresStoreOptions } from "../../stores/postgres/postgres_store.ts";
import { asUnavailable, isTemporary } from "../../stores/postgres/client/errors.ts";
import { firstLine, SettingError, UnreachableError } from "../process/start_error.ts";
import type { Environment } from "../settings/flags.ts";
import type { OpenStore, StoreSetting } from "./store_setting.ts";
import { createHosts, type ServerState } from "./postgres_hosts.ts";
import { driverOptions } from "./postgres_options.ts";
import { type Connect, createPool, type DriverClient } from "./postgres_pool.ts";
import { describePostgres, type PostgresTarget, readPostgresUrl } from "./postgres_url.ts";

const READ_STATE =
  "SELECT pg_catalog.pg_is_in_recovery()::text, pg_catalog.current_setting('default_transaction_read_only')";

/** Not part of the other statement, because some databases with PostgreSQL's protocol lack these functions. */
const READ_TIMELINE = "SELECT pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8)";

type Source = [makeClient: () => DriverClient, options: PostgresStoreOptions];

/** @param driver The specifier of the driver. */
export function readPostgresSetting(setting: string, environment: Environment, driver: string): StoreSetting {
  const target = readPostgresUrl(setting, environment);
  const use = <T>(use: (...source: Source) => Promise<T>) => usePostgres(target, driver, use);
  const open = () => openPostgres(target, driver);
  const description = describePostgres(target);
  return {
    description,
    target,
    open,
    shared: {
      keys: { place: description, open, list: () => use(listPostgresKeys) },
      async check() {
        const { version, isReadOnly, faults } = await use(inspectPostgresStore);
        return { faults, contents: `schema version ${version}${isReadOnly ? ", for reading only" : ""}` };
      },
      async export(write) {
        const source = await use((...source) => Promise.resolve(source));
        await exportPostgres(...source, write);
      },
      import: (pets, signal) => use((...source) => importPets(...source, pets, signal)),
    },
  };
}

export function openPostgres(target: PostgresTarget, driver: string): Promise<OpenStore> {
  return usePostgres(target, driver, createPostgresStore);
}

async function usePostgres<T>(
  target: PostgresTarget,
  driver: string,
  use: (...source: Source) => Promise<T>,
): Promise<T> {
  try {
    const connect = await loadDriver(target, driver);
    const hosts = createHosts(target, (socket) => readState(connect, socket));
    // Before the store opens, because the store's time limit is too short for several silent hosts.
    await hosts.choose().catch((error) => {
      throw asUnavailable(error);
    });
    const { schema, prepare, poolSize: size } = target;
    const makeClient = () => createPool(size, connect, hosts.dial);
    return await use(makeClient, { prepare, ...(schema !== undefined && { schema }) });
  } catch (error) {
    if (error instanceof SettingError) throw error;
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    const line = `${describePostgres(target)} cannot be opened: ${message}`;
    throw cause !== undefined && isTemporary(cause) ? new UnreachableError(line) : new SettingError(line);
  }
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
    const timeline = isStandby ? 0 : await readTimeline(client);
    return { acceptsWrites: !isStandby && readOnly !== "on", timeline };
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
