/** What the standalone server is told: by flags, else by the environment, else by defaults. */

import { parseArgs } from "node:util";

/** The settings, read but not yet tried. */
export interface ServerSettings {
  hostname: string;
  port: number;
  /** Empty if none was set: then the key file is used. */
  keys: string[];
  /** `memory:`, `sqlite:PATH` or `postgres://…`, which may hold a password. */
  store: string;
  corsOrigins: string[];
  /** Where clients reach the API, or "" for where they ask. */
  publicUrl: string;
  accessLog: boolean;
  /** Whether the description is shown as a page too. */
  docs: boolean;
}

/** Settings, or what is printed instead of serving. */
export type ServerCommand = { settings: ServerSettings } | { print: "help" | "version" | "schema" };

/** The store where none is set. */
export const DEFAULT_STORE = "sqlite:data/petstore.db";

/** What the setting of an SQLite store begins with. */
export const SQLITE = "sqlite:";

/** What the setting of a PostgreSQL store begins with. */
export const POSTGRES = /^postgres(ql)?:\/\//;

/** A setting that cannot be used. Its message is one line for the person at the terminal. */
export class SettingError extends Error {
  override name = "SettingError";
}

/** What the settings name cannot be had just now, and a later start may well succeed. */
export class UnreachableError extends SettingError {}

/** The environment variables that are read, by the flag that wins over each. */
export const ENVIRONMENT = {
  hostname: "PETSTORE_HOSTNAME",
  port: "PORT",
  key: "PETSTORE_KEYS",
  store: "PETSTORE_STORE",
  "cors-origin": "PETSTORE_CORS_ORIGINS",
  "public-url": "PETSTORE_PUBLIC_URL",
  "access-log": "PETSTORE_ACCESS_LOG",
  docs: "PETSTORE_DOCS",
} as const;

/** What is on unless it is switched off. */
type Switch = "access-log" | "docs";

/** What `--help` prints. */
export const HELP = `Petstore: a REST service for the animals of a store

Usage: deno task serve [flags]

  --hostname <address>    address to listen on                [PETSTORE_HOSTNAME, default 127.0.0.1]
  --port <number>         port to listen on, 0 for a free one [PORT, default 8000]
  --key <key>             an API key, in clear or as sha256:<64 hex digits>; repeatable
                                                              [PETSTORE_KEYS, separated by commas]
                          default: one is made at the first start and kept in data/api-key
  --store <store>         memory:, sqlite:<path> or postgres://<user>@<host>:<port>/<database>
                                                              [PETSTORE_STORE, default sqlite:data/petstore.db]
  --cors-origin <origin>  an origin whose pages may use the API, or *; repeatable
                                                              [PETSTORE_CORS_ORIGINS, separated by commas]
  --public-url <url>      where clients reach the API, if a proxy puts it elsewhere; links begin with it
                                                              [PETSTORE_PUBLIC_URL, such as https://api.example/v1]
  --access-log, --no-access-log
                          print a line for each request, or do not
                                                              [PETSTORE_ACCESS_LOG=on|off, default on]
  --docs, --no-docs       show the description as a page at /docs, or do not
                                                              [PETSTORE_DOCS=on|off, default on]
  --print-schema          print the SQL that makes the tables of a PostgreSQL store
  --help                  print this
  --version               print the version

Flags win over the environment. Keys in flags show in the list of processes, and so do passwords; prefer the environment.

What a postgres:// address leaves out is taken from PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD, PGSSLMODE,
PGSSLROOTCERT, PGCONNECT_TIMEOUT, PGTARGETSESSIONATTRS, PGAPPNAME and PGOPTIONS. Behind its question mark it may have the
same by their small names (sslmode, sslrootcert, …), and pool_size, prepare (false for a PgBouncer that knows no prepared
statements) and schema.
`;

const OPTIONS = {
  hostname: { type: "string" },
  port: { type: "string" },
  key: { type: "string", multiple: true },
  store: { type: "string" },
  "cors-origin": { type: "string", multiple: true },
  "public-url": { type: "string" },
  "access-log": { type: "boolean" },
  "no-access-log": { type: "boolean" },
  docs: { type: "boolean" },
  "no-docs": { type: "boolean" },
  "print-schema": { type: "boolean" },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

/**
 * Reads the settings.
 *
 * @param args The command line's arguments.
 * @param environment Looks up an environment variable.
 * @throws {SettingError} If one is unknown or cannot be meant.
 */
export function readSettings(args: string[], environment: (name: string) => string | undefined): ServerCommand {
  const flags = parseFlags(args);
  if (flags.help) return { print: "help" };
  if (flags.version) return { print: "version" };
  if (flags["print-schema"]) return { print: "schema" };
  const single = (flag: "hostname" | "port" | "store" | "public-url", fallback: string) =>
    flags[flag] ?? (environment(ENVIRONMENT[flag]) || fallback);
  const list = (flag: "key" | "cors-origin") => flags[flag] ?? splitList(environment(ENVIRONMENT[flag]));
  return {
    settings: {
      hostname: readHostname(single("hostname", "127.0.0.1")),
      port: readPort(single("port", "8000")),
      keys: readKeys(list("key")),
      store: readStore(single("store", DEFAULT_STORE)),
      corsOrigins: list("cors-origin"),
      publicUrl: single("public-url", ""),
      accessLog: readSwitch(flags, "access-log", environment),
      docs: readSwitch(flags, "docs", environment),
    },
  };
}

function parseFlags(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    // Not quoted: a word without its flag may well be a key.
    if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") throw new SettingError("Only flags are expected; see --help");
    // The first sentence says what is wrong; the rest is advice on escaping that does not apply here.
    const [problem = ""] = message.split(/\.\s|\n/, 1);
    throw new SettingError(`${problem.replace(/\.$/, "")}; see --help`);
  }
}

function readHostname(hostname: string): string {
  if (/^[\w.:-]+$/.test(hostname)) return hostname;
  throw new SettingError(`Hostname ${JSON.stringify(hostname)} must be an address or a name, such as 127.0.0.1`);
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65535) return port;
  throw new SettingError(`Port ${JSON.stringify(text)} must be a number from 0 to 65535`);
}

function readStore(store: string): string {
  if (store === "memory:" || (store.startsWith(SQLITE) && store !== SQLITE) || POSTGRES.test(store)) return store;
  // A name with a typical end and nothing else can be shown; what else was meant for another setting or database may be a
  // secret, or hold one.
  if (/^[\w./~-]+\.(db|sqlite3?)$/.test(store)) {
    throw new SettingError(`The store ${store} must say what it is: sqlite:${store} for a file`);
  }
  throw new SettingError("The store must be memory:, sqlite:<path> or postgres://…; other stores are not known");
}

function readKeys(keys: string[]): string[] {
  if (keys.includes("")) throw new SettingError("An API key must not be empty");
  return keys;
}

function readSwitch(
  flags: Partial<Record<Switch | `no-${Switch}`, boolean>>,
  name: Switch,
  environment: (name: string) => string | undefined,
): boolean {
  if (flags[`no-${name}`]) return false;
  if (flags[name]) return true;
  const value = environment(ENVIRONMENT[name]) || "on";
  if (value === "on" || value === "off") return value === "on";
  throw new SettingError(`${ENVIRONMENT[name]} must be on or off, not ${JSON.stringify(value)}`);
}

/** A variable that is set but empty sets nothing; an empty place between two commas is a mistake worth showing. */
function splitList(variable: string | undefined): string[] {
  return variable ? variable.split(",").map((item) => item.trim()) : [];
}
