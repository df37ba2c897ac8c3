/** The PostgreSQL store of the standalone server, with a driver of its own that is loaded only here. */

import { createPostgresStore, type PostgresClient } from "../stores/postgres.ts";
import type { PetStore } from "../stores/store.ts";
import { type PostgresTarget, showPostgres } from "./postgres_url.ts";
import { SettingError } from "./settings.ts";

/**
 * The driver, which has no dependencies of its own. In a variable: what can be read from the source, Deno fetches at
 * every start, whatever the store is.
 */
const DRIVER: string = "npm:postgres@3.4.9";

/** What is used of the driver. */
interface DriverModule {
  default(options: Record<string, unknown>): PostgresClient & { end(options: { timeout: number }): Promise<void> };
}

/** For how long a connection that failed is not tried again, in seconds. The driver's own way is up to 20. */
const PAUSE = 0.2;

/** How long connections may take to close, in seconds. */
const CLOSING = 2;

/**
 * Connects, and opens the store.
 *
 * @throws {SettingError} If the driver or a file cannot be had.
 * @throws {StoreUnavailableError} If the store cannot be opened.
 */
export async function openPostgres(target: PostgresTarget): Promise<PetStore> {
  const { default: connect } = await loadDriver();
  const client = connect(optionsFor(target));
  const end = () => client.end({ timeout: CLOSING });
  try {
    const store = await createPostgresStore(client, target.schema === undefined ? {} : { schema: target.schema });
    return closeThen(store, end);
  } catch (error) {
    await end();
    throw error;
  }
}

async function loadDriver(): Promise<DriverModule> {
  try {
    return await import(DRIVER);
  } catch (error) {
    const [reason = ""] = (error as Error).message.split("\n", 1);
    throw new SettingError(`The PostgreSQL driver, ${DRIVER}, cannot be loaded: ${reason}`);
  }
}

/** The store, and with it the client, which is ours. */
function closeThen(store: PetStore, end: () => Promise<void>): PetStore {
  let closing: Promise<void> | undefined;
  return {
    create: (pet) => store.create(pet),
    createOnce: (pet, request) => store.createOnce!(pet, request),
    get: (id) => store.get(id),
    list: (query) => store.list(query),
    check: () => store.check(),
    close: () => closing ??= Promise.resolve(store.close()).then(end),
  };
}

/** All that the driver knows, so that it looks for nothing in the environment later. */
function optionsFor(target: PostgresTarget): Record<string, unknown> {
  return {
    host: target.hosts.map(({ name }) => name),
    port: target.hosts.map(({ port }) => port),
    database: target.database,
    user: target.user,
    // As a function it is not looked for in the environment where it is empty.
    pass: () => target.password,
    ssl: securityFor(target),
    target_session_attrs: sessionFor(target),
    connection: target.parameters,
    connect_timeout: target.connectTimeout || null,
    max: target.poolSize,
    prepare: target.prepare,
    fetch_types: false,
    backoff: () => PAUSE,
    onnotice: () => {},
    sslnegotiation: null,
    idle_timeout: null,
    // Connections are made anew now and then, so that those to a server behind a balancer spread again.
    max_lifetime: 45 * 60,
    max_pipeline: 100,
    keep_alive: 30,
    debug: false,
    publications: "",
  };
}

/** The driver takes a standby for one that can be written to, unless it is asked for a primary. */
function sessionFor({ targetSessionAttrs }: PostgresTarget): string | null {
  if (targetSessionAttrs === "any") return null;
  return targetSessionAttrs === "read-write" ? "primary" : targetSessionAttrs;
}

/** As libpq has it: `require` with a certificate means `verify-ca`, and a name is checked by `verify-full` alone. */
function securityFor({ sslmode, sslrootcert, hosts }: PostgresTarget): unknown {
  if (sslmode === "disable") return false;
  if (sslmode === "allow" || sslmode === "prefer") return "prefer";
  if (sslmode === "require" && sslrootcert === "") return "require";
  const ca = sslrootcert === "" || sslrootcert === "system" ? {} : { ca: readCertificate(sslrootcert) };
  if (sslmode !== "verify-full") return { ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  const [host] = hosts;
  return { ...ca, rejectUnauthorized: true, ...(hosts.length === 1 && { host: host?.name }) };
}

function readCertificate(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    const [reason = ""] = (error as Error).message.split("\n", 1);
    throw new SettingError(`The certificate ${path} cannot be read: ${reason}`);
  }
}

/** How the database is shown, with the schema where it is not the usual one. */
export function describePostgres(target: PostgresTarget): string {
  return showPostgres(target) + (target.schema === undefined ? "" : ` (schema ${target.schema})`);
}
