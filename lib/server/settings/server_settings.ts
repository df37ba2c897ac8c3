/** Reads the settings of a server from flags and variables, and checks them. */

import { isIPv6 } from "node:net";
import { areOrigins } from "../../http/cors.ts";
import type { OpenApiServer } from "../../openapi/describe.ts";
import type { PetstoreOptions, Stability } from "../../petstore/options.ts";
import { checkOption } from "../../petstore/checked_options.ts";
import { checkFaults, type FaultOptions, FAULTS } from "../../petstore/fault_options.ts";
import type { CommandArguments } from "./arguments.ts";
import { type Format, numberFrom, oneOf } from "./formats.ts";
import { SettingError } from "../process/start_error.ts";

/** The parsed settings. */
export interface ServerSettings {
  hostname: string;
  port: number;
  /** The API keys of the settings. If there are none, the key file is used. */
  keys: string[];
  /** The address of the store, which may have a password. It is not checked yet. */
  store: string;
  /** How many sample pets an empty store gets. */
  seed: number;
  /** Whether a client may bring a store in memory back to its sample pets. */
  allowReset: boolean;
  /** Whether other servers may listen at the same port. */
  reusePort: boolean;
  log: "text" | "json" | "off";
  /** The address at which metrics are served, or undefined if they are not served. */
  metrics: { hostname: string; port: number } | undefined;
  /** Which requests fail on purpose, or undefined if none does. */
  faults: FaultOptions | undefined;
  /** Whether to serve the description as a web page. */
  docs: boolean;
  /** The addresses that the description names. If there are none, it names that of the server itself. */
  servers: OpenApiServer[];
  options: LibraryOptions;
}

/** The options of the library that are settings. */
type LibraryOptions = Omit<PetstoreOptions, "keys">;

/** @throws {SettingError} If a value is invalid. */
export function readSettings(args: CommandArguments): ServerSettings {
  return {
    hostname: args.read("hostname", HOSTNAME),
    port: args.read("port", PORT),
    keys: readKeys(args),
    store: args.text("store"),
    seed: args.read("seed", SEED),
    allowReset: args.isOn("allow-reset"),
    reusePort: args.isOn("reuse-port"),
    log: args.read("log", LOG),
    metrics: args.readOptional("metrics", ADDRESS),
    faults: args.readOptional("faults", FAULT_SHARES),
    docs: args.isOn("docs"),
    servers: args.readList("openapi-server", OPENAPI_SERVER),
    options: readOptions(args),
  };
}

export const HOSTNAME: Format<string> = {
  form: "an address or a name, such as 127.0.0.1",
  parse: (text) => /^[\w.-]+$/.test(text) || isIPv6(text) ? text : undefined,
};

export const PORT: Format<number> = numberFrom(0, 65_535);

/** More sample pets would have no use. */
const SEED = numberFrom(0, 1_000_000);

const LOG = oneOf("text", "json", "off");

const ADDRESS: Format<{ hostname: string; port: number }> = {
  form: "an address and a port, such as 127.0.0.1:9464",
  parse(text) {
    const [, ipv6, name, digits = ""] = /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+)):(\d+)$/.exec(text) ?? [];
    const hostname = ipv6 ?? name;
    const port = PORT.parse(digits);
    return hostname === undefined || port === undefined ? undefined : { hostname, port };
  },
};

/**
 * Texts that stand in a list of keys by mistake, and that anyone could guess: comments, lines of an env file, JSON, references to a vault,
 * masked and missing values, and digests whose prefix is misspelt. A digest with the right prefix matches too, but is a key.
 */
const MISTAKEN_KEY =
  /^(?:#|\/\/|;|\w+=[^=]|[{[$]|@\w+\.\w+\(|\w+:\/\/|arn:|vault:|sha-?256:|(?:\w+:|\*+|\.+|x+|null|none|nil|undefined)$)/i;

function readKeys(args: CommandArguments): string[] {
  const keys = args.list("key");
  if (keys.includes("")) throw new SettingError("An API key must not be empty");
  if (keys.some((key) => MISTAKEN_KEY.test(key) && !key.startsWith("sha256:"))) {
    throw new SettingError(
      "An API key is a comment, a line NAME=value, or a reference that nothing has resolved; give the keys alone",
    );
  }
  // The library would refuse an empty list. A server without a key in its settings uses the key file.
  if (keys.length > 0) checkAsSetting("", () => checkOption("keys", keys));
  return keys;
}

const FAULT_SHARES: Format<FaultOptions> = { form: "faults and their shares, such as lose=0.1", parse: readFaults };

function readFaults(text: string): FaultOptions | undefined {
  if (text === "") return undefined;
  const faults: FaultOptions = Object.fromEntries(text.split(",").map(readFault));
  checkAsSetting("--faults: ", () => checkFaults(faults));
  // The start says that some requests fail, and a test that relies on it would find every client good.
  if (!FAULTS.some((fault) => faults[fault])) {
    throw new SettingError(`--faults: No request would fail; give a share of ${FAULTS.join(", ")}, such as lose=0.1`);
  }
  return faults;
}

/** Reads one of the options of `withFaults()`, such as `lose=0.1`. A text that is no number is kept, and the library refuses it. */
function readFault(option: string): [name: string, value: unknown] {
  const [, name, value] = /^ *(\w+)=(.+)$/.exec(option) ?? [];
  if (name === undefined || value === undefined) {
    const advice = "write a plus between operations, as in lose=0.1,operations=createPet+getPet";
    throw new SettingError(`--faults: ${option} has no value; ${advice}`);
  }
  if (name === "operations") return [name, value.split("+")];
  return [name, /^\d*\.?\d+$/.test(value) ? Number(value) : value];
}

/** An address that the description names, after its name if it has one. It ends in the version (§9 of the specification). */
export const OPENAPI_SERVER: Format<OpenApiServer> = {
  form: "an address that ends in /v1, after a name if it has one, such as Production=https://api.example/v1",
  parse(text) {
    const [, description, url] = /^(?:([^=/]+)=)?(https?:\/\/[^?#@]+\/v1)$/.exec(text) ?? [];
    if (url === undefined || PUBLIC_URL.parse(url) === undefined) return undefined;
    return { url, ...(description !== undefined && { description }) };
  },
};

const PUBLIC_URL: Format<string> = {
  form: "an address such as https://api.example/v1, or a path",
  parse(text) {
    try {
      checkOption("publicBaseUrl", text);
      return text;
    } catch {
      // The message of the library would quote the text, which may have a password.
      return undefined;
    }
  },
};

/**
 * Reads the options of the library, without the keys.
 *
 * @throws {SettingError} If a value is invalid.
 */
export function readOptions(args: CommandArguments): LibraryOptions {
  const origins = args.readList("cors-origin", ORIGIN);
  // Each origin is valid by itself, but `*` must be the only one.
  if (origins.length > 1 && origins.includes("*")) throw new SettingError("--cors-origin: * must be the only origin");
  const publicBaseUrl = args.readOptional("public-url", PUBLIC_URL);
  // The library refuses unknown operations and labels.
  const stability = Object.fromEntries(args.list("stability").map(splitLabel)) as Record<string, Stability>;
  checkAsSetting("--stability: ", () => checkOption("stability", stability));
  return {
    requestIds: args.read("request-id", REQUEST_IDS),
    ...(origins.length > 0 && { cors: { origins } }),
    ...(publicBaseUrl && { publicBaseUrl }),
    deprecation: { gone: args.isOn("enforce-sunset") },
    stability,
  };
}

const REQUEST_IDS = oneOf("all", "failures", "none");

const ORIGIN: Format<string> = {
  form: "an origin such as https://app.example, without a path or a slash at its end, or *",
  parse: (text) => areOrigins([text]) ? text : undefined,
};

/** Splits `operation=label`. */
function splitLabel(text: string): [operation: string, label: string] {
  const [operation = ""] = text.split("=", 1);
  return [operation, text.slice(operation.length + 1)];
}

/**
 * Runs a check of the library, which throws a `TypeError` or a `RangeError` for a wrong value.
 *
 * @param prefix The beginning of the message.
 * @throws {SettingError} In place of these errors.
 */
function checkAsSetting(prefix: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    const isWrongValue = error instanceof TypeError || error instanceof RangeError;
    throw isWrongValue ? new SettingError(prefix + error.message) : error;
  }
}
