/** Opens the PostgreSQL store of the standalone server, with a driver that is loaded only when it is needed. */

import type { Socket } from "node:net";
import config from "../../../deno.json" with { type: "json" };
import { createPostgresStore, type PostgresJsClient } from "../../stores/postgres/postgres_store.ts";
import { asUnavailable } from "../../stores/postgres/client/errors.ts";
import type { PetStore } from "../../stores/store.ts";
import { firstLine, SettingError } from "../start_error.ts";
import { Hosts, type ServerState } from "./postgres_hosts.ts";
import { driverOptions, securityFor } from "./postgres_options.ts";
import { orFailing, watchSocket } from "./postgres_socket.ts";
import { type PostgresTarget, showPostgres } from "./postgres_url.ts";

/**
 * Package and version of the driver, the same as the tests use. It stands in a variable because Deno downloads what a
 * literal `import()` names at every start, whichever store is used.
 */
const DRIVER: string = config.imports.postgres;

/** The part of the driver that is used. */
interface DriverModule {
  default(options: Record<string, unknown>): DriverClient;
}

type DriverClient = PostgresJsClient & {
  options: Record<string, unknown>;
  end(options: { timeout: number }): Promise<void>;
};

/** Makes a client of the driver with the settings of the store and some of its own. */
type Connect = (settings: Record<string, unknown>) => DriverClient;

const READ_STATE =
  "SELECT pg_catalog.pg_is_in_recovery()::text, pg_catalog.current_setting('default_transaction_read_only')";

/**
 * Connects, and opens the store.
 *
 * @throws {SettingError} If the driver or a certificate cannot be loaded.
 * @throws {StoreUnavailableError} If the store cannot be opened.
 */
export async function openPostgres(target: PostgresTarget): Promise<PetStore> {
  const connect = await loadDriver(target);
  const hosts = new Hosts({
    hosts: target.hosts,
    security: securityFor(target),
    timeout: target.connectTimeout * 1000,
    targetSessionAttrs: target.targetSessionAttrs,
    readState: (dial) => readState(connect, dial),
  });
  // Chosen before the store opens, because the store's own time limit is too short for several silent hosts.
  await hosts.choose().catch((error) => {
    throw asUnavailable(error);
  });
  const { schema, prepare } = target;
  return await createPostgresStore(() => makeClient(connect, hosts), {
    prepare,
    ...(schema !== undefined && { schema }),
  });
}

/** The address as an operator reads it, with the schema if it is not the usual one. */
export function describePostgres(target: PostgresTarget): string {
  return showPostgres(target) + (target.schema === undefined ? "" : ` (schema ${target.schema})`);
}

async function loadDriver(target: PostgresTarget): Promise<Connect> {
  const { default: connect } = await importDriver();
  // The driver reads the environment now and never again: the server gives up that permission after its start.
  const { options } = connect(driverOptions(target));
  return (settings) => connect({ ...options, shared: { retries: 0, typeArrayMap: {} }, ...settings });
}

async function importDriver(): Promise<DriverModule> {
  try {
    return await import(DRIVER);
  } catch (error) {
    throw new SettingError(`The PostgreSQL driver, ${DRIVER}, cannot be loaded: ${firstLine(error)}`);
  }
}

async function readState(connect: Connect, dial: () => Promise<Socket>): Promise<ServerState> {
  const client = connect({ max: 1, socket: () => orFailing(dial) });
  try {
    const [[standby, readOnly] = []] = await client.unsafe(READ_STATE, [], { prepare: false }).values() as string[][];
    return { isStandby: standby === "true", isReadOnly: readOnly === "on" };
  } finally {
    await client.end({ timeout: 0 });
  }
}

/** Makes a client whose end closes every connection, even if the server does not respond. */
function makeClient(connect: Connect, hosts: Hosts): DriverClient {
  const sockets = new Set<Socket>();
  const client = connect({
    socket: () =>
      orFailing(async () => {
        const socket = await hosts.dial();
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
        watchSocket(socket, () => hosts.forget());
        return socket;
      }),
  });
  const end = client.end;
  client.end = async (options) => {
    await end(options);
    if (sockets.size > 0) hosts.forget();
    for (const socket of sockets) socket.destroy();
  };
  return client;
}
