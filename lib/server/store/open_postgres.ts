/** The PostgreSQL store of the standalone server, with a driver of its own that is loaded only here. */

import type { Socket } from "node:net";
import { createPostgresStore, type PostgresJsClient } from "../../stores/postgres/postgres_store.ts";
import { asUnavailable } from "../../stores/postgres/client/errors.ts";
import type { PetStore } from "../../stores/store.ts";
import { Hosts } from "./postgres_hosts.ts";
import { orFailing, watchSocket } from "./postgres_socket.ts";
import { driverOptions, securityFor } from "./postgres_options.ts";
import { type PostgresTarget, showPostgres } from "./postgres_url.ts";
import { SettingError } from "../settings.ts";

/**
 * The driver, which has no dependencies of its own. In a variable: what can be read from the source, Deno fetches at
 * every start, whatever the store is.
 */
const DRIVER: string = "npm:postgres@3.4.9";

/** What is used of the driver. */
interface DriverModule {
  default(options: Record<string, unknown>): DriverClient;
}

/** A client of the driver. */
type DriverClient = PostgresJsClient & {
  options: Record<string, unknown>;
  end(options: { timeout: number }): Promise<void>;
};

/** What a server is asked before it is used. */
const STATE =
  "SELECT pg_catalog.pg_is_in_recovery()::text, pg_catalog.current_setting('default_transaction_read_only')";

/**
 * Connects, and opens the store.
 *
 * @throws {SettingError} If the driver or a file cannot be had.
 * @throws {StoreUnavailableError} If the store cannot be opened.
 */
export async function openPostgres(target: PostgresTarget): Promise<PetStore> {
  const { default: connect } = await loadDriver();
  const { options } = connect(driverOptions(target));
  // What the driver has read is used again: later it could no longer look into the environment.
  const make = (settings: Record<string, unknown>) =>
    connect({ ...options, shared: { retries: 0, typeArrayMap: {} }, ...settings });
  const hosts = new Hosts({
    hosts: target.hosts,
    security: securityFor(target),
    patience: target.connectTimeout * 1000,
    session: target.targetSessionAttrs,
    async ask(dial) {
      const client = make({ max: 1, socket: () => orFailing(dial) });
      try {
        const [[standby, readOnly] = []] = await client.unsafe(STATE, [], { prepare: false }).values() as string[][];
        return { isStandby: standby === "true", isReadOnly: readOnly === "on" };
      } finally {
        await client.end({ timeout: 0 });
      }
    },
  });
  // Before the store asks, which has but a few seconds: each host has a time of its own.
  await hosts.choose().catch((error) => {
    throw asUnavailable(error);
  });
  const { schema, prepare } = target;
  return await createPostgresStore(() => makeClient(make, hosts), { prepare, ...(schema !== undefined && { schema }) });
}

/** A client that leaves no connection behind, whether or not its other end takes part in the closing. */
function makeClient(make: (settings: Record<string, unknown>) => DriverClient, hosts: Hosts): DriverClient {
  const sockets = new Set<Socket>();
  const client = make({
    socket: () =>
      orFailing(async () => {
        const socket = await hosts.dial();
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
        watchSocket(socket, () => hosts.doubt());
        return socket;
      }),
  });
  const end = client.end;
  client.end = async (options) => {
    await end(options);
    if (sockets.size > 0) hosts.doubt();
    for (const socket of sockets) socket.destroy();
  };
  return client;
}

async function loadDriver(): Promise<DriverModule> {
  try {
    return await import(DRIVER);
  } catch (error) {
    const [reason = ""] = (error as Error).message.split("\n", 1);
    throw new SettingError(`The PostgreSQL driver, ${DRIVER}, cannot be loaded: ${reason}`);
  }
}

/** How the database is shown, with the schema where it is not the usual one. */
export function describePostgres(target: PostgresTarget): string {
  return showPostgres(target) + (target.schema === undefined ? "" : ` (schema ${target.schema})`);
}
