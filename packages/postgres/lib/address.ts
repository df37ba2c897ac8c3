/** The address of a database, as a server is given it: `postgres://user@host:port/database?schema=…`. */

import process from "node:process";
import { parse, toClientConfig } from "pg-connection-string";
import { requireSchemaName } from "./schema/schema.ts";

/** The parameters that are the store's own, with their defaults. Those of the connection are pg's. */
const OWN_PARAMETERS = { pool_size: "10", prepare: "true", schema: "" } as const;

/** The parameters of the connection that are known to work. A misspelt one would have no effect. */
const CONNECTION_PARAMETERS = [
  "application_name",
  "channel_binding",
  "connect_timeout",
  "host",
  "options",
  "port",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "uselibpqcompat",
];

/** Parameters of libpq that addresses of hosted databases may have, and that pg ignores. */
const LIBPQ_PARAMETERS = [
  "dbname",
  "gssencmode",
  "hostaddr",
  "keepalives",
  "load_balance_hosts",
  "passfile",
  "password",
  "pgbouncer",
  "require_auth",
  "service",
  "sslcrl",
  "sslnegotiation",
  "sslpassword",
  "target_session_attrs",
  "tcp_user_timeout",
  "user",
];

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

/** A database, and all that a store and its pool of connections need. */
export interface PostgresTarget {
  /** The address without the password and the parameters, for messages. */
  description: string;
  /** The options of `new Pool()`; a password only if the address has one. */
  pool: Record<string, unknown>;
  /** The schema of the tables; undefined if the address has none. */
  schema: string | undefined;
  /** Whether to prepare statements. */
  prepare: boolean;
}

/** How long a connection may take to open. */
const CONNECT_TIMEOUT_SECONDS = 5;

/** After about this time a connection is opened anew, so that a load balancer distributes connections again. */
const LIFETIME_SECONDS = 2400;

/**
 * Reads an address. What it omits is read by pg, from the variables of libpq such as `PGPASSWORD`.
 *
 * @throws {TypeError} If it is invalid. The message quotes at most its schema, because the rest may contain a password.
 */
export function readAddress(address: string): PostgresTarget {
  const url = parseUrl(address);
  requireEncoded(url);
  const parameters = url.searchParams;
  const known = [...CONNECTION_PARAMETERS, ...Object.keys(OWN_PARAMETERS)];
  for (const name of parameters.keys()) {
    if (known.includes(name)) continue;
    // Any other name may be a part of a password, and is not shown.
    const what = LIBPQ_PARAMETERS.includes(name)
      ? `the parameter ${name}, which pg does not have`
      : "an unknown parameter";
    fail(`it has ${what}; known are ${known.join(", ")}`);
  }
  requireOptionalBinding(parameters);
  if (!parameters.has("sslmode")) requireSslMode(process.env["PGSSLMODE"]);
  useRootsOfSystem(parameters);
  /** Reads a parameter of the store, and removes it from the address, because pg gets the parameters that are left. */
  const take = (name: string, fallback: string) => {
    const text = parameters.get(name) ?? fallback;
    parameters.delete(name);
    return text;
  };
  const schema = take("schema", OWN_PARAMETERS.schema) || undefined;
  if (schema !== undefined) requireSchemaName(schema);
  const prepare = requireOneOf("prepare", take("prepare", OWN_PARAMETERS.prepare), ["true", "false"]) === "true";
  const poolSize = readNumber("pool_size", take("pool_size", OWN_PARAMETERS.pool_size), 1);
  const timeoutSeconds = readNumber("connect_timeout", take("connect_timeout", String(CONNECT_TIMEOUT_SECONDS)), 0);
  const login = url.username === "" ? "" : `${url.username}@`;
  // The parameters `host` and `port` replace what the address has before its path, as in libpq.
  const overrides = ["host", "port"].filter((name) => parameters.has(name));
  const host = parameters.has("host") ? "" : url.host;
  const query = overrides.map((name) => `${name}=${parameters.get(name)}`).join("&");
  const database = url.pathname === "/" ? "" : url.pathname;
  const place = `${url.protocol}//${login}${host}${database}${query && `?${query}`}`;
  // Only the parameters of the connection are left now.
  const connection = readConnection(url.href);
  return {
    description: place + (schema === undefined ? "" : ` (schema ${schema})`),
    pool: {
      fallback_application_name: "petstore",
      ...connection,
      max: poolSize,
      connectionTimeoutMillis: 1000 * timeoutSeconds,
      keepAlive: true,
      // The lifetime differs at random by a quarter, so that the connections of several servers do not end together.
      maxLifetimeSeconds: Math.round(LIFETIME_SECONDS * (0.75 + Math.random() / 2)),
    },
    schema,
    prepare,
  };
}

/** Parses an address. The form `user@/database?host=/folder`, for a socket in a folder, becomes a URL by a host before its path. */
function parseUrl(address: string): URL {
  const url = URL.parse(address);
  if (url) return url;
  const withHost = URL.parse(address.replace("@/", "@localhost/"));
  if (withHost?.searchParams.has("host")) return withHost;
  return fail(`it must have the form postgres://user:password@host:port/database, ${ENCODED}`);
}

const ENCODED = "with special characters of the password percent-encoded, such as %2F for a slash";

/**
 * Refuses an address in which a part of the password is taken for another part. A slash, a question mark or a number sign ends the place of
 * the host, so the rest of the password would be shown as the name of the database.
 */
function requireEncoded({ pathname, hash }: URL): void {
  if (hash !== "" || /[@:/]/.test(pathname.slice(1))) fail(`its database must have no @, : or /; write it ${ENCODED}`);
}

/** Refuses `channel_binding=require`: pg binds its login to the TLS connection if the server offers that, and cannot promise it. */
function requireOptionalBinding(parameters: URLSearchParams): void {
  const value = parameters.get("channel_binding") ?? "disable";
  parameters.delete("channel_binding");
  if (value === "require") {
    fail("channel_binding=require cannot be promised by pg; remove it, and use sslmode=verify-full");
  }
  requireOneOf("channel_binding", value, ["disable", "prefer"]);
}

/** Checks a mode of TLS, because pg would take a misspelt one for none, and send the password in clear text. */
function requireSslMode(mode = ""): void {
  if (mode !== "" && !SSL_MODES.includes(mode)) fail(`PGSSLMODE must be one of ${SSL_MODES.join(", ")}`);
}

/**
 * Replaces `sslrootcert=system` by what it means in libpq, and pg does not know: the usual certificate authorities, with `verify-full`. As in
 * libpq, no other mode may stand beside it. Those of the runtime take the place of the authorities of the system.
 */
function useRootsOfSystem(parameters: URLSearchParams): void {
  if ((parameters.get("sslrootcert") ?? process.env["PGSSLROOTCERT"]) !== "system") return;
  const mode = parameters.get("sslmode") ?? process.env["PGSSLMODE"] ?? "";
  if (mode !== "" && mode !== "verify-full") {
    fail("sslrootcert=system, or PGSSLROOTCERT=system, needs sslmode=verify-full");
  }
  parameters.delete("sslrootcert");
  parameters.set("sslmode", "verify-full");
}

/** Reads the connection with pg's own parser, which also reads the files of certificates. */
function readConnection(href: string): Record<string, unknown> {
  try {
    const given = Object.entries(toClientConfig(parse(href)));
    return Object.fromEntries(given.filter(([, value]) => value != null && value !== ""));
  } catch (error) {
    const { code } = error as { code?: string };
    return fail(
      code === "ENOENT" || code === "EACCES"
        ? `a file of its certificates cannot be read (${code})`
        : "it cannot be parsed",
    );
  }
}

function readNumber(name: string, text: string, least: number): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  return number >= least && number <= 10_000 ? number : fail(`${name} must be a whole number from ${least} to 10000`);
}

function requireOneOf(name: string, value: string, allowed: string[]): string {
  return allowed.includes(value) ? value : fail(`${name} must be one of ${allowed.join(", ")}`);
}

function fail(problem: string): never {
  throw new TypeError(`The PostgreSQL store's address is not valid: ${problem}`);
}
