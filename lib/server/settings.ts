/** The settings of the standalone server, read from flags, then the environment, then defaults. */

import { parseArgs } from "node:util";
import type { Address } from "./listener.ts";
import type { RequestIds } from "../http/pipeline.ts";
import { KEY_FILE } from "./key_file.ts";
import { SettingError } from "./start_error.ts";

/** More isolates would wait for the one writer of an SQLite file, or for PostgreSQL's connections. */
const MAX_WORKERS = 64;

const LOG_FORMATS = ["text", "json", "off"] as const;
const REQUEST_IDS = ["all", "failures", "none"] as const satisfies readonly RequestIds[];

export type LogFormat = typeof LOG_FORMATS[number];

/** The parsed settings. The store's address and the options of the library are checked later. */
export interface ServerSettings {
  hostname: string;
  port: number;
  /** If empty, the key file is used. */
  keys: string[];
  /** May contain a password. */
  store: string;
  corsOrigins: string[];
  /** Where clients reach the API, or "" for relative links. */
  publicUrl: string;
  /** How many isolates serve. With 1, the main one does. */
  workers: number;
  log: LogFormat;
  requestIds: RequestIds;
  /** Where metrics are served; undefined if they are not. */
  metrics: Address | undefined;
  /** Whether to serve the description as a web page. */
  docs: boolean;
}

/** The settings of a server to start, or the text to print instead. */
export type ServerCommand = { settings: ServerSettings } | { print: "help" | "version" | "schema" };

/** The definition of a setting. */
export interface Setting {
  /** A list has a repeatable flag, and commas in its variable. A switch has two flags, `--x` and `--no-x`. */
  kind: "text" | "list" | "switch";
  /** The name of the flag's value in the help text. */
  value?: string;
  /** The environment variable that applies when the flag is absent. */
  variable: string;
  /** A sample value for the help text, if the default does not show the form. */
  example?: string;
  default: string;
  help: string;
}

/** Every setting, by its flag without the dashes. */
export const SETTINGS = {
  hostname: {
    kind: "text",
    value: "address",
    variable: "PETSTORE_HOSTNAME",
    default: "127.0.0.1",
    help: "address to listen on",
  },
  port: {
    kind: "text",
    value: "number",
    variable: "PORT",
    default: "8000",
    help: "port to listen on, 0 for a free one",
  },
  key: {
    kind: "list",
    value: "key",
    variable: "PETSTORE_KEYS",
    default: "",
    help: "an API key, in clear text or as sha256:<64 hex digits>. " +
      `Without this setting the first start makes a key and keeps it in ${KEY_FILE}`,
  },
  store: {
    kind: "text",
    value: "store",
    variable: "PETSTORE_STORE",
    default: "sqlite:data/petstore.db",
    help: "memory:, sqlite:<path> or postgres://<user>@<host>:<port>/<database>",
  },
  workers: {
    kind: "text",
    value: "number",
    variable: "PETSTORE_WORKERS",
    default: "1",
    help: "how many threads serve requests, or auto for one on each processor",
  },
  "cors-origin": {
    kind: "list",
    value: "origin",
    variable: "PETSTORE_CORS_ORIGINS",
    default: "",
    help: "an origin whose web pages may use the API, or * for every origin",
  },
  "public-url": {
    kind: "text",
    value: "url",
    variable: "PETSTORE_PUBLIC_URL",
    example: "https://api.example/v1",
    default: "",
    help: "where clients reach the API if a proxy changes its address; links begin with it",
  },
  log: {
    kind: "text",
    value: "text|json|off",
    variable: "PETSTORE_LOG",
    default: "text",
    help: "print a line for each request: for people, as a JSON object, or not at all",
  },
  "request-id": {
    kind: "text",
    value: "all|failures|none",
    variable: "PETSTORE_REQUEST_ID",
    default: "failures",
    help: "which answers have an X-Request-Id",
  },
  metrics: {
    kind: "text",
    value: "address:port",
    variable: "PETSTORE_METRICS",
    example: "127.0.0.1:9464",
    default: "",
    help: "serve metrics at /metrics of this address, in the format OpenMetrics",
  },
  docs: {
    kind: "switch",
    variable: "PETSTORE_DOCS",
    default: "on",
    help: "serve the description as a web page at /docs",
  },
} as const satisfies Record<string, Setting>;

type Flag = keyof typeof SETTINGS;

/** The flags that print a text instead of starting a server, in order of precedence. */
export const COMMANDS = {
  help: { print: "help", help: "print this text" },
  version: { print: "version", help: "print the version" },
  "print-schema": { print: "schema", help: "print the SQL that creates the tables of a PostgreSQL store" },
} as const;

/**
 * @param args The arguments of the command line.
 * @param environment Looks up an environment variable.
 * @throws {SettingError} If a flag is unknown or a value is invalid.
 */
export function readSettings(args: string[], environment: (name: string) => string | undefined): ServerCommand {
  const flags = parseFlags(args);
  for (const [flag, { print }] of Object.entries(COMMANDS)) if (flags.has(flag)) return { print };
  // An empty variable counts as unset.
  const text = (flag: Flag) =>
    flags.get(flag)?.at(-1) ?? (environment(SETTINGS[flag].variable) || SETTINGS[flag].default);
  const list = (flag: Flag) => flags.get(flag) ?? splitList(environment(SETTINGS[flag].variable) || "");
  const isOn = (flag: Flag) => flags.has(`no-${flag}`) ? false : flags.has(flag) || readSwitch(flag, text(flag));
  return {
    settings: {
      hostname: readHostname(text("hostname")),
      port: readPort(text("port")),
      keys: readKeys(list("key")),
      store: text("store"),
      workers: readWorkers(text("workers")),
      corsOrigins: list("cors-origin"),
      publicUrl: text("public-url"),
      log: readChoice("log", text("log"), LOG_FORMATS),
      requestIds: readChoice("request-id", text("request-id"), REQUEST_IDS),
      metrics: readAddress(text("metrics")),
      docs: isOn("docs"),
    },
  };
}

/** The values of each given flag, in order. A flag without a value has "". */
function parseFlags(args: string[]): Map<string, string[]> {
  const flags = new Map<string, string[]>();
  try {
    const { tokens } = parseArgs({ args, options: flagOptions(), tokens: true });
    for (const token of tokens) {
      if (token.kind !== "option") continue;
      flags.set(token.name, [...flags.get(token.name) ?? [], token.value ?? ""]);
    }
    return flags;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    // The message does not quote the argument, because a word without a flag may be a key.
    if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") throw new SettingError("Only flags are expected; see --help");
    // The first sentence names the problem. The rest is advice on escaping that does not apply here.
    const [problem = ""] = message.split(/\.\s|\n/, 1);
    throw new SettingError(`${problem.replace(/\.$/, "")}; see --help`);
  }
}

function flagOptions(): Record<string, { type: "string" | "boolean" }> {
  const settings = Object.entries(SETTINGS).flatMap(([flag, { kind }]) => {
    if (kind === "switch") return [[flag, { type: "boolean" }], [`no-${flag}`, { type: "boolean" }]];
    return [[flag, { type: "string" }]];
  });
  const commands = Object.keys(COMMANDS).map((flag) => [flag, { type: "boolean" }]);
  return Object.fromEntries([...settings, ...commands]);
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

function readAddress(text: string): Address | undefined {
  if (text === "") return undefined;
  const [, ipv6, name, port = ""] = /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+)):(\d+)$/.exec(text) ?? [];
  const hostname = ipv6 ?? name;
  if (hostname === undefined) {
    throw new SettingError(`Metrics ${JSON.stringify(text)} must be an address and a port, such as 127.0.0.1:9464`);
  }
  return { hostname, port: readPort(port) };
}

/** The runtime heeds the limits of a container. */
function readWorkers(text: string): number {
  if (text === "auto") return Math.min(navigator.hardwareConcurrency, MAX_WORKERS);
  const workers = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (workers >= 1 && workers <= MAX_WORKERS) return workers;
  throw new SettingError(`Workers ${JSON.stringify(text)} must be auto or a number from 1 to ${MAX_WORKERS}`);
}

function readKeys(keys: string[]): string[] {
  if (keys.includes("")) throw new SettingError("An API key must not be empty");
  return keys;
}

function readChoice<Choice extends string>(flag: Flag, value: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((choice) => choice === value);
  if (choice !== undefined) return choice;
  throw new SettingError(
    `--${flag} must be ${choices.join(", ").replace(/, (\w+)$/, " or $1")}, not ${JSON.stringify(value)}`,
  );
}

function readSwitch(flag: Flag, value: string): boolean {
  if (value === "on" || value === "off") return value === "on";
  throw new SettingError(`${SETTINGS[flag].variable} must be on or off, not ${JSON.stringify(value)}`);
}

/** Keeps empty items, so that the mistake of two commas in a row is reported. */
function splitList(text: string): string[] {
  return text === "" ? [] : text.split(",").map((item) => item.trim());
}
