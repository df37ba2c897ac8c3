import { formatAddress } from "../process/lines.ts";
import { SettingError } from "../process/start_error.ts";

/** A database, with all that a connection to it needs. */
export type PostgresTarget = ReturnType<typeof readPostgresUrl>;

/** With the environment variables of libpq. */
export const POSTGRES_VARIABLES = {
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

export const OWN_PARAMETERS = { pool_size: "10", prepare: "true", schema: "" } as const;

const KNOWN_PARAMETERS = [...Object.keys(POSTGRES_VARIABLES), ...Object.keys(OWN_PARAMETERS)];

/** Groups: user and password, hosts, database, parameters. `new URL()` does not accept several hosts. */
const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;

/** Groups: an IPv6 address in brackets, another host, a port. */
const HOST = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+))(?::(\d+))?$/;

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
const SESSION_ATTRIBUTES = ["any", "read-write"];

/**
 * The environment supplies the parts that the address omits.
 *
 * @throws {SettingError} If it is invalid. The message quotes no part of it, because it may contain a password.
 */
export function readPostgresUrl(url: string, environment: (name: string) => string | undefined) {
  const parameters = parseUrl(url);
  const read = (name: keyof typeof POSTGRES_VARIABLES, fallback: string) =>
    parameters.get(name) ?? (environment(POSTGRES_VARIABLES[name]) || fallback);
  const readOwn = (name: keyof typeof OWN_PARAMETERS) => parameters.get(name) ?? OWN_PARAMETERS[name];

  const hosts = readHosts(read("host", "localhost"), read("port", "5432"));
  const user = read("user", "postgres");
  const options = read("options", "");
  const sslrootcert = read("sslrootcert", "");
  return {
    hosts,
    database: read("dbname", user),
    user,
    password: read("password", ""),
    sslmode: readSslMode(read("sslmode", ""), sslrootcert),
    sslrootcert,
    /** For each host, in seconds; 0 for no limit. Shorter if another host can answer instead. */
    connectTimeout: readNumber("connect_timeout", read("connect_timeout", hosts.length > 1 ? "2" : "5"), 0),
    targetSessionAttrs: requireOneOf("target_session_attrs", read("target_session_attrs", "any"), SESSION_ATTRIBUTES),
    /** Sent to the server. */
    parameters: { application_name: read("application_name", "petstore"), ...(options !== "" && { options }) },
    poolSize: readNumber("pool_size", readOwn("pool_size"), 1),
    prepare: requireOneOf("prepare", readOwn("prepare"), ["true", "false"]) === "true",
    schema: readOwn("schema") || undefined,
  };
}

/** Without the password and the parameters. */
export function describePostgres({ hosts, database, user, schema }: PostgresTarget): string {
  const addresses = hosts.map(({ name, port }) => formatAddress({ hostname: name, port }));
  return `postgres://${encodeURIComponent(user)}@${addresses.join(",")}/${encodeURIComponent(database)}` +
    (schema === undefined ? "" : ` (schema ${schema})`);
}

function parseUrl(url: string): Map<string, string> {
  const [, login = "", hosts = "", database = "", query = ""] = FORM.exec(url) ??
    fail("it must have the form postgres://user:password@host:port/database");
  const parameters = new Map<string, string>();
  const set = (name: string, text: string) => text !== "" && parameters.set(name, decode(text));
  const [user = ""] = login.split(":", 1);
  set("user", user);
  set("password", login.slice(user.length + 1));
  set("dbname", database);
  for (const parameter of query.split("&").filter((text) => text !== "")) {
    const [name = ""] = parameter.split("=", 1);
    if (!KNOWN_PARAMETERS.includes(name)) fail(`it has an unknown parameter; known are ${KNOWN_PARAMETERS.join(", ")}`);
    set(name, parameter.slice(name.length + 1));
  }
  if (hosts !== "") parameters.set("host", hosts);
  return parameters;
}

/** @param portList The ports of the hosts that have none, in the same order. A single port applies to all hosts. */
function readHosts(text: string, portList: string): { name: string; port: number }[] {
  const ports = portList.split(",");
  return text.split(",").map((host, i) => {
    const [, bracketed, plain, port = ports[i] ?? ports[0] ?? ""] = HOST.exec(host) ?? [];
    const name = bracketed ?? plain ?? fail("a host must be a name or an IP address, not the path of a socket");
    return { name, port: readNumber("port", port, 1, 65535) };
  });
}

/** As in libpq, the system's certificates require a check of the name, because anyone can get a public certificate. */
function readSslMode(sslmode: string, sslrootcert: string): string {
  if (sslrootcert !== "system") return requireOneOf("sslmode", sslmode || "prefer", SSL_MODES);
  return sslmode === "" || sslmode === "verify-full"
    ? "verify-full"
    : fail("sslrootcert=system requires sslmode=verify-full");
}

function readNumber(name: string, text: string, minimum: number, maximum = 10_000): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (number >= minimum && number <= maximum) return number;
  return fail(`${name} must be a whole number from ${minimum} to ${maximum}`);
}

function requireOneOf(name: string, value: string, allowed: string[]): string {
  return allowed.includes(value) ? value : fail(`${name} must be one of ${allowed.join(", ")}`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail("a % must be followed by two hexadecimal digits");
  }
}

function fail(problem: string): never {
  throw new SettingError(`The PostgreSQL store's address is not valid: ${problem}`);
}
