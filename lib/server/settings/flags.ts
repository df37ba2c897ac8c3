/** The table of settings: each has a flag, an environment variable and a default. */

import { KEY_FILE } from "../first_key/key_file.ts";

/** An option of the command line. */
export interface Option {
  /** The name of its value in the help text. It is absent for a switch, which has no value: it is given as `--x` or `--no-x`. */
  value?: string;
  /** The letter of a short form, such as `h` for `-h`. */
  short?: string;
  /** Whether the flag may be given several times. Commas separate the values in its variable. */
  isList?: true;
  /** The environment variable that applies when the flag is absent. For a switch, its value is `on` or `off`. */
  variable?: string;
  /** A variable that hosting platforms set. It applies when the flag and `variable` are absent. */
  alias?: string;
  /** A sample value for the help text, if the default does not show the form. */
  example?: string;
  /** The value if nothing sets the option. It is absent if the option may be unset. */
  default?: string;
  help: string;
}

/** Options by their flags without the dashes. */
export type Options = Readonly<Record<string, Option>>;

const TABLE = {
  hostname: { value: "address", default: "127.0.0.1", help: "address to listen on" },
  port: { value: "number", alias: "PORT", default: "8000", help: "port to listen on, 0 for a free one" },
  key: {
    isList: true,
    value: "key",
    help: "an API key, in clear text or as sha256:<64 hex digits>. " +
      `Without this setting the first start makes a key and keeps it in ${KEY_FILE}`,
  },
  store: {
    value: "store",
    default: "sqlite:data/petstore.db",
    help: "memory:, sqlite:<path> or postgres://<user>@<host>:<port>/<database>",
  },
  seed: {
    value: "number",
    default: "0",
    help: "how many sample pets the server adds at the start, if the store has no pets",
  },
  "allow-reset": {
    default: "off",
    help: "let POST /reset restore the sample pets of a store in memory, for tests of a client",
  },
  "reuse-port": {
    default: "off",
    help: "let other servers listen at the same port; Linux gives each connection to one of them",
  },
  "cors-origin": {
    isList: true,
    value: "origin",
    help: "an origin whose web pages may use the API, or * for every origin",
  },
  "public-url": {
    value: "url",
    example: "https://api.example/v1",
    help: "the address of the API as clients see it, if a proxy changes it; links begin with this address",
  },
  "openapi-server": {
    isList: true,
    value: "[name=]url",
    help: "an address of the API and its name, for the OpenAPI description, such as Production=https://api.example/v1",
  },
  stability: {
    isList: true,
    value: "operation=label",
    variable: "PETSTORE_STABILITY",
    help: "a label of an operation, experimental, alpha or beta, for the OpenAPI description, such as listPets=beta",
  },
  "enforce-sunset": {
    default: "off",
    help: "answer the deprecated operation with 410 from the date in Sunset on",
  },
  log: {
    value: "text|json|off",
    default: "text",
    help: "how to print a line for each request: as text, as a JSON object, or not at all",
  },
  "request-id": { value: "all|failures|none", default: "failures", help: "which responses have an X-Request-Id" },
  metrics: {
    value: "address:port",
    example: "127.0.0.1:9464",
    help: "serve metrics at /metrics of this address, in the text format of Prometheus",
  },
  faults: {
    value: "fault=share,…",
    example: "lose=0.1,cut=0.1,operations=createPet+getPet",
    help: "make some requests fail, to test clients. The faults are delay, unavailable, cut and lose",
  },
  docs: { default: "on", help: "serve a web page at /docs on which each operation can be tried" },
} satisfies Options;

export type SettingName = keyof typeof TABLE;

/** Every setting, by its flag without the dashes. */
export const SETTINGS = Object.fromEntries(
  Object.entries<Option>(TABLE).map(([name, option]) => [name, { variable: variableOf(name, option), ...option }]),
) as Readonly<Record<SettingName, Option>>;

/** The variable of a flag, such as `PETSTORE_CORS_ORIGINS` for the list `--cors-origin`. */
function variableOf(name: string, { isList }: Option): string {
  return `PETSTORE_${name.toUpperCase().replaceAll("-", "_")}${isList ? "S" : ""}`;
}
