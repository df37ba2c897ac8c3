/** Opens the PostgreSQL store of the standalone server. The driver is loaded only when it is needed. */

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
 * Package and version of the driver, the same as in the tests. It is a variable, because Deno loads the package of a literal
 * `import()` at every start, even for another store.
 */
const DRIVER: string = config.imports.postgres;

interface DriverModule {
  default(options: Record<string, unknown>): DriverClient;
}

type DriverClient = PostgresJsClient & {
  options: Record<string, unknown>;
  end(options: { timeout: number }): Promise<void>;
};

/** Creates a client with the store's settings and further ones. */
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
  // Before the store opens, because the store's time limit is too short for several silent hosts.
  await hosts.choose().catch((error) => {
    throw asUnavailable(error);
  });
  const { schema, prepare } = target;
  return await createPostgresStore(() => makeClient(connect, hosts), {
    prepare,
    ...(schema !== undefined && { schema }),
  });
}

/** The address for messages, with the schema unless it is the default. */
export function describePostgres(target: PostgresTarget): string {
  return showPostgres(target) + (target.schema === undefined ? "" : ` (schema ${target.schema})`);
}

async function loadDriver(target: PostgresTarget): Promise<Connect> {
  const { default: connect } = await importDriver();
  // The driver reads the environment now. Later clients copy these options, because the server then lacks the permission.
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

/** Creates a client whose `end()` closes every connection, even if the server does not respond. */
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
