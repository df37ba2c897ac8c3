/** The address of a database, as a server is given it: `postgres://user@host:port/database?schema=…`. */

import { parse, toClientConfig } from "pg-connection-string";
import { requireSchemaName } from "./schema/schema.ts";

/** The parameters that are the store's own, with their defaults. Those of the connection are pg's. */
export const OWN_PARAMETERS = { pool_size: "10", prepare: "true", schema: "" } as const;

/** The parameters of the connection that are known to work. A misspelt one would have no effect. */
const CONNECTION_PARAMETERS = [
  "application_name",
  "connect_timeout",
  "options",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "uselibpqcompat",
];

/** A database, and all that a pool of connections to it needs. */
export interface PostgresTarget {
  /** Without the password and the parameters, for messages. */
  description: string;
  /** The options of `new Pool()`; a password only if the address has one. */
  pool: Record<string, unknown>;
  schema: string | undefined;
  prepare: boolean;
}

/** How long a connection may take to open, in seconds. */
const CONNECT_TIMEOUT = 5;

/** After so many seconds a connection is opened anew, so that a load balancer distributes connections again. */
const LIFETIME = 2400;

/**
 * Reads an address. What it omits is read by pg, from the variables of libpq such as `PGPASSWORD`.
 *
 * @throws {TypeError} If it is invalid. The message quotes at most its schema, because the rest may contain a password.
 */
export function readAddress(address: string): PostgresTarget {
  const url = URL.parse(address) ?? fail("it must have the form postgres://user:password@host:port/database");
  const parameters = url.searchParams;
  const known = [...CONNECTION_PARAMETERS, ...Object.keys(OWN_PARAMETERS)];
  for (const name of parameters.keys()) {
    if (!known.includes(name)) fail(`it has an unknown parameter; known are ${known.join(", ")}`);
  }
  const take = (name: string, fallback: string) => {
    const text = parameters.get(name) ?? fallback;
    parameters.delete(name);
    return text;
  };
  const schema = take("schema", OWN_PARAMETERS.schema) || undefined;
  if (schema !== undefined) requireSchemaName(schema);
  const prepare = requireOneOf("prepare", take("prepare", OWN_PARAMETERS.prepare), ["true", "false"]) === "true";
  const max = readNumber("pool_size", take("pool_size", OWN_PARAMETERS.pool_size), 1);
  const timeout = readNumber("connect_timeout", take("connect_timeout", String(CONNECT_TIMEOUT)), 0);
  const login = url.username === "" ? "" : `${url.username}@`;
  const place = `${url.protocol}//${login}${url.host}${url.pathname === "/" ? "" : url.pathname}`;
  return {
    description: place + (schema === undefined ? "" : ` (schema ${schema})`),
    pool: {
      fallback_application_name: "petstore",
      ...readConnection(url.href),
      max,
      connectionTimeoutMillis: 1000 * timeout,
      keepAlive: true,
      // Random, so that the connections do not end together.
      maxLifetimeSeconds: Math.round(LIFETIME * (0.75 + Math.random() / 2)),
    },
    schema,
    prepare,
  };
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
