/** What the PostgreSQL driver and its connections are told. */

import type { Security } from "./postgres_socket.ts";
import type { PostgresTarget } from "./postgres_url.ts";
import { SettingError } from "../settings.ts";

/** For how long a connection that failed is not tried again, in seconds. The driver's own way is up to 20. */
const PAUSE = 0.2;

/** All that the driver knows, so that it looks for nothing in the environment later. */
export function driverOptions(target: PostgresTarget): Record<string, unknown> {
  return {
    // Names alone, for messages: which host it is, and TLS, are decided before the driver gets its socket. It would hang
    // on one that is silent, try in a loop what refuses, and check certificates for one name only.
    host: ["PostgreSQL"],
    port: [0],
    ssl: false,
    target_session_attrs: null,
    database: target.database,
    user: target.user,
    // As a function it is not looked for in the environment where it is empty.
    pass: () => target.password,
    connection: target.parameters,
    connect_timeout: target.connectTimeout || null,
    max: target.poolSize,
    prepare: target.prepare,
    fetch_types: false,
    backoff: () => PAUSE,
    onnotice: () => {},
    sslnegotiation: null,
    idle_timeout: null,
    // Connections are made anew now and then, so that those to a server behind a balancer spread again; each has a time
    // of its own, so that those that were made together do not end together.
    max_lifetime: () => 60 * (30 + Math.random() * 30),
    max_pipeline: 100,
    keep_alive: 30,
    debug: false,
    publications: "",
  };
}

/** What is asked of TLS, as libpq has it: `require` with a certificate means `verify-ca`, and a name is checked by `verify-full` alone. */
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
    const [reason = ""] = (error as Error).message.split("\n", 1);
    throw new SettingError(`The certificate ${path} cannot be read: ${reason}`);
  }
}
