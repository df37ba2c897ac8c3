import { readFileSync } from "node:fs";
import { firstLine, SettingError } from "../process/start_error.ts";
import type { Security } from "./postgres_socket.ts";
import type { PostgresTarget } from "./postgres_url.ts";

/** In seconds. The driver's own back-off rises to 20. */
const RETRY_DELAY = 0.2;

/**
 * In seconds. A server without requests does not notice that its primary was paused and another took over; an old
 * connection would then give an old response.
 */
const IDLE_TIMEOUT = 5;

/** Sets every option, so that the driver reads none from the environment. */
export function driverOptions(target: PostgresTarget): Record<string, unknown> {
  return {
    // Placeholders: the driver gets a socket. Its own connections would hang on a silent host, and check certificates
    // for one name only.
    host: ["PostgreSQL"],
    port: [0],
    ssl: false,
    target_session_attrs: null,
    database: target.database,
    user: target.user,
    // The driver would replace an empty string with a password from the environment.
    pass: () => target.password,
    connection: target.parameters,
    connect_timeout: target.connectTimeout || null,
    max: target.poolSize,
    prepare: target.prepare,
    fetch_types: false,
    backoff: () => RETRY_DELAY,
    onnotice: () => {},
    sslnegotiation: null,
    idle_timeout: target.hosts.length > 1 ? IDLE_TIMEOUT : null,
    // In seconds, so that a load balancer distributes connections again. Random, so that they do not end together.
    max_lifetime: () => 60 * (30 + Math.random() * 30),
    max_pipeline: 100,
    keep_alive: 30,
    debug: false,
    publications: "",
  };
}

/** As in libpq, `require` with a certificate means `verify-ca`, which ignores the name. */
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
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new SettingError(`The certificate ${path} cannot be read: ${firstLine(error)}`);
  }
}
