/** The options of the PostgreSQL driver, and of TLS to its servers. */

import { firstLine, SettingError } from "../start_error.ts";
import type { Security } from "./postgres_socket.ts";
import type { PostgresTarget } from "./postgres_url.ts";

/** How long to wait after a failed connection, in seconds. The driver's own back-off rises to 20. */
const RETRY_DELAY = 0.2;

/** Every option that the driver knows, so that it does not look for one in the environment later. */
export function driverOptions(target: PostgresTarget): Record<string, unknown> {
  return {
    // Placeholders for the driver's messages, since it gets a socket that is connected and encrypted already. On its own
    // the driver would hang on a silent host, retry a refusing one in a loop, and check certificates for one name only.
    host: ["PostgreSQL"],
    port: [0],
    ssl: false,
    target_session_attrs: null,
    database: target.database,
    user: target.user,
    // The driver looks in the environment for a password that is empty, but not for one in a function.
    pass: () => target.password,
    connection: target.parameters,
    connect_timeout: target.connectTimeout || null,
    max: target.poolSize,
    prepare: target.prepare,
    fetch_types: false,
    backoff: () => RETRY_DELAY,
    onnotice: () => {},
    sslnegotiation: null,
    idle_timeout: null,
    // In seconds. New connections spread again over the servers of a load balancer. The random part keeps connections that
    // were opened together from ending together.
    max_lifetime: () => 60 * (30 + Math.random() * 30),
    max_pipeline: 100,
    keep_alive: 30,
    debug: false,
    publications: "",
  };
}

/** Translates the TLS parameters as libpq does: `require` with a certificate means `verify-ca`, which ignores the name. */
export function securityFor({ sslmode, sslrootcert }: PostgresTarget): Security {
  const mode = sslmode === "disable" ? "never" : sslmode === "allow" || sslmode === "prefer" ? "if offered" : "always";
  if (mode !== "always" || (sslmode === "require" && sslrootcert === "")) {
    return { mode, checks: { rejectUnauthorized: false } };
  }
  const ca = sslrootcert === "" || sslrootcert === "system" ? {} : { ca: readCertificate(sslrootcert) };
  const name = sslmode === "verify-full" ? {} : { checkServerIdentity: () => undefined };
  return { mode, checks: { ...ca, rejectUnauthorized: true, ...name } };
}

function readCertificate(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    throw new SettingError(`The certificate ${path} cannot be read: ${firstLine(error)}`);
  }
}
