/**
 * The settings of a server. The table declares each setting once: its flag, its variable, its
 * format and its help text. Other commands use entries of the table too. Below it are the variables
 * that no setting has, and the options of the library that are settings.
 *
 * Each check of a value is in one file, which knows what it needs:
 *
 * - `environment.ts`: secrets in files, and variables that Kubernetes sets. Only variables can have
 *   them.
 * - `formats.ts`: the text of one value, such as a number or an address; and quotes and invisible
 *   characters, which are mistakes in every text.
 * - `library_formats.ts`: the same for values of the library, which checks them, so that programs
 *   that use the library get the same rules.
 * - `store_setting.ts`: the address of the store. It is a text here, because the kind of
 *   store decides what is valid.
 * - `serving/serve.ts`: settings that cannot stand together.
 */

import type { PetstoreOptions } from "../../petstore/options.ts";
import { KEY_FILE } from "../first_key/key_file.ts";
import { FILE_VARIABLES } from "./environment.ts";
import { ADDRESS, HOSTNAME, numberFrom, oneOf, PORT, SWITCH, text } from "./formats.ts";
import { API_KEY, FAULT_SHARES, OPENAPI_SERVER, ORIGIN, PUBLIC_URL, STABILITY } from "./library_formats.ts";
import type { Options, Values } from "./options.ts";

/** Every setting, by its flag without the dashes. */
export const SETTINGS = {
  hostname: {
    format: HOSTNAME,
    variable: "PETSTORE_HOSTNAME",
    default: "127.0.0.1",
    help: "address to listen on",
  },
  port: {
    format: PORT,
    variable: "PETSTORE_PORT",
    alias: "PORT",
    default: "8000",
    help: "port to listen on, 0 for a free one",
  },
  key: {
    isList: true,
    format: API_KEY,
    variable: "PETSTORE_KEYS",
    help: "an API key, in clear text or as sha256:<64 hex digits>. " +
      `Without this setting the first start makes a key and keeps it in ${KEY_FILE}`,
  },
  store: {
    format: text("store"),
    variable: "PETSTORE_STORE",
    default: "sqlite:data/petstore.db",
    help: "memory:, sqlite:<path> or postgres://<user>@<host>:<port>/<database>",
  },
  seed: {
    // More sample pets would have no use.
    format: numberFrom(0, 1_000_000),
    variable: "PETSTORE_SEED",
    default: "0",
    help: "how many sample pets the server adds at the start, if the store has no pets",
  },
  "allow-reset": {
    format: SWITCH,
    variable: "PETSTORE_ALLOW_RESET",
    default: "off",
    help: "let POST /reset restore the sample pets of a store in memory, for tests of a client",
  },
  "reuse-port": {
    format: SWITCH,
    variable: "PETSTORE_REUSE_PORT",
    default: "off",
    help: "let other servers listen at the same port; Linux gives each connection to one of them",
  },
  "cors-origin": {
    isList: true,
    format: ORIGIN,
    variable: "PETSTORE_CORS_ORIGINS",
    help: "an origin whose web pages may use the API, or * for every origin",
  },
  "public-url": {
    format: PUBLIC_URL,
    variable: "PETSTORE_PUBLIC_URL",
    help:
      "the address of the API as clients see it, such as https://api.example/v1, if a proxy changes it; links begin with " +
      "this address",
  },
  "openapi-server": {
    isList: true,
    format: OPENAPI_SERVER,
    variable: "PETSTORE_OPENAPI_SERVERS",
    help: "an address of the API and its name, for the OpenAPI description, such as Production=https://api.example/v1",
  },
  stability: {
    isList: true,
    format: STABILITY,
    variable: "PETSTORE_STABILITY",
    help: "a label of an operation, experimental, alpha or beta, for the OpenAPI description, such as listPets=beta",
  },
  "enforce-sunset": {
    format: SWITCH,
    variable: "PETSTORE_ENFORCE_SUNSET",
    default: "off",
    help: "answer the deprecated operation with 410 from the date in Sunset on",
  },
  log: {
    format: oneOf("text", "json", "off"),
    variable: "PETSTORE_LOG",
    default: "text",
    help: "how to print a line for each request: as text, as a JSON object, or not at all",
  },
  "request-id": {
    format: oneOf("all", "failures", "none"),
    variable: "PETSTORE_REQUEST_ID",
    default: "failures",
    help: "which responses have an X-Request-Id",
  },
  metrics: {
    format: ADDRESS,
    variable: "PETSTORE_METRICS",
    help: "serve metrics at /metrics of this address, such as 127.0.0.1:9464, in the text format of Prometheus",
  },
  faults: {
    format: FAULT_SHARES,
    variable: "PETSTORE_FAULTS",
    help:
      "make some requests fail, to test clients, such as lose=0.1,cut=0.1,operations=createPet+getPet. The faults are " +
      "delay, unavailable, cut and lose",
  },
  docs: {
    format: SWITCH,
    variable: "PETSTORE_DOCS",
    default: "on",
    help: "serve a web page at /docs on which each operation can be tried",
  },
} satisfies Options;

/** The value of each setting, by its flag without the dashes. */
export type Settings = Values<typeof SETTINGS>;

/**
 * A line for each variable that begins with `PETSTORE_` and is no setting, for it may be a misspelt
 * one.
 *
 * @param names The names of all environment variables.
 */
export function describeUnknownVariables(names: readonly string[]): string[] {
  const known = [...Object.values(SETTINGS).map(({ variable }) => variable), ...FILE_VARIABLES];
  return names
    .filter((name) => name.startsWith("PETSTORE_") && !known.includes(name) && !isOfService(name))
    .map((name) => `the variable ${name} is ignored: there is no such setting`);
}

/** The variables that Kubernetes and Docker set in each container for a service whose name begins with `petstore`. */
const SERVICE_VARIABLES = [
  // PETSTORE_SERVICE_HOST, PETSTORE_SERVICE_PORT and PETSTORE_SERVICE_PORT_HTTP
  /_SERVICE_(?:HOST|PORT)/,
  // PETSTORE_API_PORT
  /_PORT$/,
  // PETSTORE_PORT_8000_TCP_ADDR
  /_PORT_\d+_/,
];

function isOfService(name: string): boolean {
  return SERVICE_VARIABLES.some((pattern) => pattern.test(name));
}

/** The settings that are options of the library. */
type LibrarySettings = Pick<Settings, "stability" | "enforce-sunset" | "public-url" | "request-id" | "cors-origin">;

/** Returns the options of the library that are settings, except the keys. */
export function libraryOptions(settings: LibrarySettings): Omit<PetstoreOptions, "keys"> {
  const { "cors-origin": origins, "public-url": publicBaseUrl } = settings;
  return {
    requestIds: settings["request-id"],
    ...(origins.length > 0 && { cors: { origins } }),
    ...(publicBaseUrl && { publicBaseUrl }),
    deprecation: { gone: settings["enforce-sunset"] },
    stability: Object.assign({}, ...settings.stability),
  };
}
