/** The table of settings: each has a flag, an environment variable and a default. */

import { KEY_FILE } from "./key_file.ts";

/** The values of each given flag, in order. A flag without a value has "". */
export type Flags = ReadonlyMap<string, readonly string[]>;

/** Looks up an environment variable. */
export type Environment = (name: string) => string | undefined;

/** The definition of a setting. */
export interface Setting {
  /** A list has a repeatable flag, and commas in its variable. A switch has two flags, `--x` and `--no-x`. Absent for one text. */
  kind?: "list" | "switch";
  /** The name of the flag's value in the help text. */
  value?: string;
  /** The environment variable that applies when the flag is absent. */
  variable: string;
  /** A sample value for the help text, if the default does not show the form. */
  example?: string;
  /** Absent if the setting may be unset. */
  default?: string;
  help: string;
}

const TABLE = {
  hostname: {
    value: "address",
    variable: "PETSTORE_HOSTNAME",
    default: "127.0.0.1",
    help: "address to listen on",
  },
  port: {
    value: "number",
    variable: "PORT",
    default: "8000",
    help: "port to listen on, 0 for a free one",
  },
  key: {
    kind: "list",
    value: "key",
    variable: "PETSTORE_KEYS",
    help: "an API key, in clear text or as sha256:<64 hex digits>. " +
      `Without this setting the first start makes a key and keeps it in ${KEY_FILE}`,
  },
  store: {
    value: "store",
    variable: "PETSTORE_STORE",
    default: "sqlite:data/petstore.db",
    help: "memory:, sqlite:<path> or postgres://<user>@<host>:<port>/<database>",
  },
  seed: {
    value: "number",
    variable: "PETSTORE_SEED",
    example: "100",
    help: "how many sample pets an empty store gets at the start",
  },
  workers: {
    value: "number",
    variable: "PETSTORE_WORKERS",
    default: "1",
    help: "how many threads serve requests, or auto for one on each processor",
  },
  "cors-origin": {
    kind: "list",
    value: "origin",
    variable: "PETSTORE_CORS_ORIGINS",
    help: "an origin whose web pages may use the API, or * for every origin",
  },
  "public-url": {
    value: "url",
    variable: "PETSTORE_PUBLIC_URL",
    example: "https://api.example/v1",
    help: "where clients reach the API if a proxy changes its address; links begin with it",
  },
  log: {
    value: "text|json|off",
    variable: "PETSTORE_LOG",
    default: "text",
    help: "print a line for each request: for people, as a JSON object, or not at all",
  },
  "request-id": {
    value: "all|failures|none",
    variable: "PETSTORE_REQUEST_ID",
    default: "failures",
    help: "which responses have an X-Request-Id",
  },
  "rate-limit": {
    value: "requests/time",
    variable: "PETSTORE_RATE_LIMIT",
    example: "100/1m",
    help: "how many requests a caller may send in some time (s, m or h), and an address without a valid key",
  },
  "client-header": {
    value: "name",
    variable: "PETSTORE_CLIENT_HEADER",
    example: "x-real-ip",
    help: "for the rate limit: the header in which the proxy tells the client's address",
  },
  metrics: {
    value: "address:port",
    variable: "PETSTORE_METRICS",
    example: "127.0.0.1:9464",
    help: "serve metrics at /metrics of this address, in the format OpenMetrics",
  },
  traces: {
    value: "share",
    variable: "PETSTORE_TRACES",
    example: "0.01",
    help: "trace this share of the requests, up to 1, with OpenTelemetry. Needs OTEL_… variables",
  },
  docs: {
    kind: "switch",
    variable: "PETSTORE_DOCS",
    default: "on",
    help: "serve the description as a web page at /docs",
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof TABLE;

/** Every setting, by its flag without the dashes. */
export const SETTINGS: Readonly<Record<SettingName, Setting>> = TABLE;

/** Reads a setting with one value. An empty variable counts as unset. */
export function readText(name: SettingName, flags: Flags, environment: Environment): string {
  return flags.get(name)?.at(-1) ?? (environment(SETTINGS[name].variable) || (SETTINGS[name].default ?? ""));
}
