/** From a connection URL, as every PostgreSQL program takes it, to the parts of a connection. */

import { SettingError } from "../settings.ts";

/** What the URL and the environment say. */
export interface PostgresTarget {
  hosts: { name: string; port: number }[];
  database: string;
  user: string;
  password: string;
  sslmode: string;
  sslrootcert: string;
  /** For each host, in seconds; 0 for no limit of its own. */
  connectTimeout: number;
  targetSessionAttrs: string;
  /** What is sent to the server at the start of a connection. */
  parameters: Record<string, string>;
  /** Not PostgreSQL's but ours: how many connections, whether statements are prepared, and where the tables are. */
  poolSize: number;
  prepare: boolean;
  schema: string | undefined;
}

/** The variables that PostgreSQL's own programs read, as far as they are read here. */
export const POSTGRES_ENVIRONMENT = {
  host: "PGHOST",
  port: "PGPORT",
  dbname: "PGDATABASE",
  user: "PGUSER",
  password: "PGPASSWORD",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  connect_timeout: "PGCONNECT_TIMEOUT",
  target_session_attrs: "PGTARGETSESSIONATTRS",
  application_name: "PGAPPNAME",
  options: "PGOPTIONS",
} as const;

/** What may stand behind the question mark: those, and ours. */
const PARAMETERS = [...Object.keys(POSTGRES_ENVIRONMENT), "pool_size", "prepare", "schema"];

/** scheme, user and password, hosts, database, parameters. Not `new URL()`, which knows no more than one host. */
const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

const SESSIONS = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"];

/**
 * Reads a URL. What it does not say, the environment does.
 *
 * @throws {SettingError} If it cannot be meant. The message quotes nothing of it: it may hold a password.
 */
export function readPostgresUrl(url: string, environment: (name: string) => string | undefined): PostgresTarget {
  const [, login = "", hosts = "", database = "", query = ""] = FORM.exec(url) ?? fail("the form", "is not a URL's");
  const given = new Map<string, string>();
  const put = (name: string, text: string) => text !== "" && given.set(name, decode(text));
  put("user", login.split(":", 1)[0] ?? "");
  put("password", login.includes(":") ? login.slice(login.indexOf(":") + 1) : "");
  put("dbname", database);
  for (const part of query.split("&").filter((part) => part !== "")) {
    const name = part.split("=", 1)[0] ?? "";
    if (!PARAMETERS.includes(name)) fail("a parameter", `is unknown; known are ${PARAMETERS.join(", ")}`);
    put(name, part.slice(name.length + 1));
  }
  const read = (name: keyof typeof POSTGRES_ENVIRONMENT, fallback: string) =>
    given.get(name) ?? (environment(POSTGRES_ENVIRONMENT[name]) || fallback);
  const user = read("user", "postgres");
  const parameters: Record<string, string> = { application_name: read("application_name", "petstore") };
  const options = read("options", "");
  if (options !== "") parameters["options"] = options;
  const sslrootcert = read("sslrootcert", "");
  const places = readHosts(hosts || read("host", "localhost"), read("port", "5432"));
  return {
    hosts: places,
    database: read("dbname", user),
    user,
    password: read("password", ""),
    sslmode: readSslMode(read("sslmode", ""), sslrootcert),
    sslrootcert,
    // Shorter where there are others to go to.
    connectTimeout: readNumber("connect_timeout", read("connect_timeout", places.length > 1 ? "2" : "5"), 0),
    targetSessionAttrs: choose("target_session_attrs", read("target_session_attrs", "any"), SESSIONS),
    parameters,
    poolSize: readNumber("pool_size", given.get("pool_size") ?? "10", 1),
    prepare: choose("prepare", given.get("prepare") ?? "true", ["true", "false"]) === "true",
    schema: given.get("schema"),
  };
}

/** The database as it may be shown: without the password and whatever else was said of it. */
export function showPostgres({ hosts, database, user }: PostgresTarget): string {
  const places = hosts.map(({ name, port }) => `${name.includes(":") ? `[${name}]` : name}:${port}`);
  return `postgres://${encodeURIComponent(user)}@${places.join(",")}/${encodeURIComponent(database)}`;
}

function readHosts(text: string, fallback: string): PostgresTarget["hosts"] {
  const ports = fallback.split(",");
  return text.split(",").map((host, i) => {
    const [, address, name, port] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+))(?::(\d+))?$/.exec(host) ?? [];
    const found = address ?? name;
    if (found === undefined) {
      return fail("a host", "must be a name or an address; a socket in the file system cannot be used");
    }
    return { name: found, port: readNumber("port", port ?? ports[i] ?? ports[0] ?? "", 1, 65535) };
  });
}

/** As libpq has it: anybody can have a certificate of a public authority, so with those the name must be checked too. */
function readSslMode(given: string, sslrootcert: string): string {
  if (sslrootcert !== "system") return choose("sslmode", given || "prefer", SSL_MODES);
  return choose("sslmode with sslrootcert=system", given || "verify-full", ["verify-full"]);
}

function readNumber(name: string, text: string, minimum: number, maximum = 10_000): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (number >= minimum && number <= maximum) return number;
  return fail(name, `must be a whole number from ${minimum} to ${maximum}`);
}

function choose(name: string, value: string, all: string[]): string {
  return all.includes(value) ? value : fail(name, `must be one of ${all.join(", ")}`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail("a part", "has a % that is not followed by two hexadecimal digits");
  }
}

function fail(what: string, problem: string): never {
  throw new SettingError(
    `The store's address, postgres://user:password@host:port/database, is wrong: ${what} ${problem}`,
  );
}
