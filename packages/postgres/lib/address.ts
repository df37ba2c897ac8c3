/** The address of a database, as a server is given it: `postgres://user@host:port/database?schema=…`. */

import process from "node:process";
// @ts-types="@types/pg"
import type { PoolConfig } from "pg";
import { parseIntoClientConfig } from "pg-connection-string";
import { type PostgresStoreOptions, requireSchemaName } from "./options.ts";

/** A database, and all that a store and its pool of connections need. */
export interface PostgresTarget {
  /** The address without the password and the parameters, for messages. */
  description: string;
  /** The options of the pool. The host and the login may be absent. */
  pool: PoolConfig;
  /** The options of the store. */
  options: PostgresStoreOptions;
}

/** After about this time a connection is opened anew, so that a load balancer distributes connections again. */
const LIFETIME_SECONDS = 2400;

/** The end of the messages about an address whose password may be written wrongly. */
const WITH_ENCODED_PASSWORD = "with special characters of the password percent-encoded, such as %2F for a slash";

/**
 * Reads an address. What it omits is read by pg, from the variables of libpq such as `PGPASSWORD`.
 *
 * @param password That of an address without one. Default: what pg finds.
 * @throws {TypeError} If it is invalid. The message quotes at most its schema, because the rest may
 * contain a password.
 */
export function readAddress(address: string, password?: string): PostgresTarget {
  const url = parseUrl(address);
  requireEncoded(url);
  requireKnown(url.searchParams);
  const parameters = { ...OWN_PARAMETERS, ...Object.fromEntries(url.searchParams) };
  const { pool_size, connect_timeout, prepare, schema, ...others } = parameters;
  requireOneOf("prepare", prepare, ["true", "false"]);
  if (schema !== "") requireSchemaName(schema);
  const options = { prepare: prepare === "true", ...(schema !== "" && { schema }) };
  url.search = String(new URLSearchParams(parametersForPg(others)));
  const connection = readConnection(url.href);
  return {
    description: describe(url, connection, options),
    pool: {
      fallback_application_name: "petstore",
      ...connection,
      password: connection.password || password,
      max: readNumber("pool_size", pool_size, 1),
      connectionTimeoutMillis: 1000 * readNumber("connect_timeout", connect_timeout, 0),
      keepAlive: true,
      // The lifetime differs at random by a quarter, so that the connections of several servers do not end together.
      maxLifetimeSeconds: Math.round(LIFETIME_SECONDS * (0.75 + Math.random() / 2)),
    },
    options,
  };
}

/**
 * Parses an address. The form `user@/database?host=/folder`, for a socket in a folder, becomes a
 * URL by a host before its path.
 */
function parseUrl(address: string): URL {
  const url = URL.parse(address);
  if (url) return url;
  const withHost = URL.parse(address.replace("@/", "@localhost/"));
  if (withHost?.searchParams.has("host")) return withHost;
  return fail(`it must have the form postgres://user:password@host:port/database, ${WITH_ENCODED_PASSWORD}`);
}

/**
 * Refuses an address in which a part of the password is taken for another part. A slash, a question
 * mark or a number sign ends the place of the host, so the rest of the password, and the @ after
 * it, would be shown as the name of the database or of a parameter.
 */
function requireEncoded({ pathname, search, hash }: URL): void {
  if (hash === "" && !/[@:/]/.test(pathname.slice(1)) && !search.includes("@")) return;
  fail(`its database must have no @, : or /; write it ${WITH_ENCODED_PASSWORD}`);
}

/** The parameters that the store reads itself, with their defaults. `connect_timeout` is in seconds. */
const OWN_PARAMETERS = { pool_size: "10", prepare: "true", schema: "", connect_timeout: "5" };

/** The parameters of pg that are known to work. */
const CONNECTION_PARAMETERS = [
  "application_name",
  "channel_binding",
  "host",
  "options",
  "port",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "uselibpqcompat",
];

/** A misspelt parameter would have no effect. */
function requireKnown(parameters: URLSearchParams): void {
  const known = [...CONNECTION_PARAMETERS, ...Object.keys(OWN_PARAMETERS)];
  const unknown = [...parameters.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  fail(`it has the parameter ${unknown}, which pg does not have; known are ${known.join(", ")}`);
}

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

/**
 * Makes the parameters for pg from those of libpq, with the same meaning.
 *
 * @throws {TypeError} If pg would take one for less security than libpq does.
 */
function parametersForPg(
  { channel_binding = "prefer", ...parameters }: Record<string, string>,
): Record<string, string> {
  // pg binds its login to the TLS connection if the server offers that, and cannot promise it.
  requireOneOf("channel_binding, which pg cannot promise,", channel_binding, ["disable", "prefer"]);
  const { sslmode = readVariable("PGSSLMODE") ?? "", sslrootcert = readVariable("PGSSLROOTCERT"), ...others } =
    parameters;
  // pg would take a misspelt mode for none, and send the password in clear text.
  requireOneOf("sslmode, or PGSSLMODE,", sslmode, ["", ...SSL_MODES]);
  if (sslrootcert !== "system") return parameters;
  // The authorities of the system mean verify-full in libpq. Here those of the runtime take their place.
  requireOneOf("sslmode beside sslrootcert=system", sslmode, ["", "verify-full"]);
  return { ...others, sslmode: "verify-full" };
}

/** Reads an environment variable. The error of Deno for one that is not UTF-8 would show its value. */
function readVariable(name: string): string | undefined {
  try {
    return process.env[name];
  } catch {
    return fail(`the variable ${name} cannot be read, for example because it is not UTF-8`);
  }
}

function readNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  const isValid = /^\d+$/.test(text) && number >= least && number <= 10_000;
  return isValid ? number : fail(`${name} must be a whole number from ${least} to 10000`);
}

/**
 * Refuses a value that is not allowed, and does not show it, because it may be a part of the
 * password.
 *
 * @param subject The beginning of the sentence that goes on with "must be one of".
 */
function requireOneOf(subject: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) fail(`${subject} must be one of ${allowed.filter(Boolean).join(", ")}`);
}

/** Reads the connection with pg's own parser, which also reads the files of certificates. */
function readConnection(href: string): PoolConfig {
  try {
    return parseIntoClientConfig(href);
  } catch (error) {
    const { code } = error as { code?: string };
    const isUnreadableFile = code === "ENOENT" || code === "EACCES";
    return fail(isUnreadableFile ? `a file of its certificates cannot be read (${code})` : "it cannot be parsed");
  }
}

function describe(url: URL, { host = "", port }: PoolConfig, { schema }: PostgresStoreOptions): string {
  const login = url.username === "" ? "" : `${url.username}@`;
  const place = port === undefined ? host : `${host}:${port}`;
  const ofSchema = schema === undefined ? "" : ` (schema ${schema})`;
  return `${url.protocol}//${login}${place}${url.pathname}${ofSchema}`;
}

function fail(problem: string): never {
  throw new TypeError(`The PostgreSQL store's address is not valid: ${problem}`);
}
