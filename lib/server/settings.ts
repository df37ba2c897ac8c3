/** The settings of the standalone server, read from flags, then the environment, then defaults. */

import type { RateLimitOptions } from "../access/rate_limit.ts";
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
  metrics: { hostname: string; port: number } | undefined;
  rateLimit: RateLimitOptions | undefined;
  /** In which the proxy tells the address of the client, or "". */
  clientHeader: string;
  /** Whether to serve the description as a web page. */
  docs: boolean;
}

/** The values of each given flag, in order. A flag without a value has "". */
export type Flags = ReadonlyMap<string, readonly string[]>;

/** Looks up an environment variable. */
export type Environment = (name: string) => string | undefined;

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
  "rate-limit": {
    kind: "text",
    value: "requests/time",
    variable: "PETSTORE_RATE_LIMIT",
    example: "100/1m",
    default: "",
    help: "how many requests a caller may send in some time (s, m or h), and an address without a valid key",
  },
  "client-header": {
    kind: "text",
    value: "name",
    variable: "PETSTORE_CLIENT_HEADER",
    example: "x-real-ip",
    default: "",
    help: "for the rate limit: the header in which the proxy tells the client's address",
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

export type SettingName = keyof typeof SETTINGS;

/** @throws {SettingError} If a value is invalid. */
export function readSettings(flags: Flags, environment: Environment): ServerSettings {
  // Ignored in silence, it would bring back a log that was switched off.
  if (environment("PETSTORE_ACCESS_LOG")) {
    throw new SettingError("PETSTORE_ACCESS_LOG is no setting any more; set PETSTORE_LOG to text, json or off");
  }
  const text = (name: SettingName) => readText(name, flags, environment);
  const list = (name: SettingName) => [...flags.get(name) ?? splitList(environment(SETTINGS[name].variable) || "")];
  const isOn = (name: SettingName) => flags.has(`no-${name}`) ? false : flags.has(name) || readSwitch(name, text(name));
  return {
    hostname: readHostname(text("hostname")),
    port: readPort(text("port")),
    keys: readKeys(list("key")),
    store: text("store"),
    workers: readWorkers(text("workers")),
    corsOrigins: list("cors-origin"),
    publicUrl: text("public-url"),
    log: readChoice("log", text("log"), LOG_FORMATS),
    requestIds: readRequestIds(flags, environment),
    rateLimit: readRateLimit(text("rate-limit")),
    clientHeader: text("client-header"),
    metrics: readAddress(text("metrics")),
    docs: isOn("docs"),
  };
}

/** Reads a setting with one value. An empty variable counts as unset. */
export function readText(name: SettingName, flags: Flags, environment: Environment): string {
  return flags.get(name)?.at(-1) ?? (environment(SETTINGS[name].variable) || SETTINGS[name].default);
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

function readAddress(text: string): ServerSettings["metrics"] {
  if (text === "") return undefined;
  const [, ipv6, name, port = ""] = /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+)):(\d+)$/.exec(text) ?? [];
  const hostname = ipv6 ?? name;
  if (hostname === undefined) {
    throw new SettingError(`Metrics ${JSON.stringify(text)} must be an address and a port, such as 127.0.0.1:9464`);
  }
  return { hostname, port: readPort(port) };
}

/** In milliseconds. */
const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** @throws {SettingError} If it is invalid. */
export function readRateLimit(text: string): RateLimitOptions | undefined {
  if (text === "") return undefined;
  const [, requests, count, unit = ""] = /^(\d{1,9})\/(\d{0,5})([smh])$/.exec(text) ?? [];
  const windowMs = (count === "" ? 1 : Number(count)) * (UNITS[unit] ?? Number.NaN);
  if (!(Number(requests) > 0 && windowMs > 0 && windowMs <= 24 * UNITS["h"]!)) {
    throw new SettingError(`Rate limit ${JSON.stringify(text)} must be requests in at most a day, such as 100/1m`);
  }
  return { requests: Number(requests), windowMs };
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

export function readRequestIds(flags: Flags, environment: Environment): RequestIds {
  return readChoice("request-id", readText("request-id", flags, environment), REQUEST_IDS);
}

function readChoice<Choice extends string>(flag: SettingName, value: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((choice) => choice === value);
  if (choice !== undefined) return choice;
  throw new SettingError(
    `--${flag} must be ${choices.join(", ").replace(/, (\w+)$/, " or $1")}, not ${JSON.stringify(value)}`,
  );
}

function readSwitch(flag: SettingName, value: string): boolean {
  if (value === "on" || value === "off") return value === "on";
  throw new SettingError(`${SETTINGS[flag].variable} must be on or off, not ${JSON.stringify(value)}`);
}

/** Keeps empty items, so that the mistake of two commas in a row is reported. */
function splitList(text: string): string[] {
  return text === "" ? [] : text.split(",").map((item) => item.trim());
}
