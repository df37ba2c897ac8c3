/** The settings of a server, read from flags, then the environment, then defaults. */

import type { RateLimitOptions } from "../access/rate_limit.ts";
import type { RequestIds } from "../http/finisher.ts";
import { type Environment, type Flags, readText, type SettingName, SETTINGS } from "./settings.ts";
import { SettingError } from "./start_error.ts";
import { UNITS } from "./time.ts";

/** More isolates would wait for the one writer of an SQLite file, or for PostgreSQL's connections. */
const MAX_WORKERS = 64;

const MAX_PORT = 65_535;

/** More sample pets would have no use. */
const MAX_SEED = 1_000_000;

const LOG_FORMATS = ["text", "json", "off"] as const;
const REQUEST_IDS = ["all", "failures", "none"] as const satisfies readonly RequestIds[];

/** The parsed settings. The store's address and the options of the library are checked later. */
export type ServerSettings = ReturnType<typeof readSettings>;

/** @throws {SettingError} If a value is invalid. */
export function readSettings(flags: Flags, environment: Environment) {
  const text = (name: SettingName) => readText(name, flags, environment);
  const list = (name: SettingName) => [...flags.get(name) ?? splitList(environment(SETTINGS[name].variable) || "")];
  const isOn = (name: SettingName) =>
    !flags.has(`no-${name}`) &&
    (flags.has(name) || readChoice(SETTINGS[name].variable, text(name), ["on", "off"]) === "on");
  return {
    hostname: readHostname(text("hostname")),
    port: readNumber("Port", text("port"), 0, MAX_PORT),
    /** If empty, the key file is used. */
    keys: readKeys(list("key")),
    /** May contain a password. */
    store: text("store"),
    /** How many sample pets an empty store gets. */
    seed: readNumber("Seed", text("seed") || "0", 0, MAX_SEED),
    /** How many isolates serve. With 1, the main one does. */
    workers: readWorkers(text("workers")),
    corsOrigins: list("cors-origin"),
    /** Where clients reach the API, or "" for relative links. */
    publicUrl: text("public-url"),
    log: readChoice("--log", text("log"), LOG_FORMATS),
    requestIds: readRequestIds(flags, environment),
    rateLimit: readRateLimit(text("rate-limit")),
    /** The header in which the proxy sends the address of the client, or "". */
    clientHeader: text("client-header"),
    /** Where metrics are served; undefined if they are not. */
    metrics: readAddress(text("metrics")),
    /** The share of the requests that are traced; undefined if none is. */
    traces: readShare(text("traces")),
    /** Whether to serve the description as a web page. */
    docs: isOn("docs"),
  };
}

function readHostname(hostname: string): string {
  if (/^[\w.:-]+$/.test(hostname)) return hostname;
  throw new SettingError(`Hostname ${JSON.stringify(hostname)} must be an address or a name, such as 127.0.0.1`);
}

function readNumber(what: string, text: string, least: number, most: number, or = ""): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new SettingError(`${what} ${JSON.stringify(text)} must be ${or}a number from ${least} to ${most}`);
}

function readAddress(text: string): { hostname: string; port: number } | undefined {
  if (text === "") return undefined;
  const [, ipv6, name, port = ""] = /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+)):(\d+)$/.exec(text) ?? [];
  const hostname = ipv6 ?? name;
  if (hostname === undefined) {
    throw new SettingError(`Metrics ${JSON.stringify(text)} must be an address and a port, such as 127.0.0.1:9464`);
  }
  return { hostname, port: readNumber("Port", port, 0, MAX_PORT) };
}

function readShare(text: string): number | undefined {
  if (text === "") return undefined;
  const share = /^\d?\.?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (share > 0 && share <= 1) return share;
  throw new SettingError(`Traces ${JSON.stringify(text)} must be a share of the requests, such as 0.01, and at most 1`);
}

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

/** The runtime's number of processors respects the limits of a container. */
function readWorkers(text: string): number {
  if (text === "auto") return Math.min(navigator.hardwareConcurrency, MAX_WORKERS);
  return readNumber("Workers", text, 1, MAX_WORKERS, "auto or ");
}

function readKeys(keys: string[]): string[] {
  if (keys.includes("")) throw new SettingError("An API key must not be empty");
  return keys;
}

export function readRequestIds(flags: Flags, environment: Environment): RequestIds {
  return readChoice("--request-id", readText("request-id", flags, environment), REQUEST_IDS);
}

/** @throws {SettingError} If the value is not one of the choices. */
export function readChoice<Choice extends string>(name: string, value: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((choice) => choice === value);
  if (choice !== undefined) return choice;
  const all = choices.join(", ").replace(/, (\w+)$/, " or $1");
  throw new SettingError(`${name} must be ${all}, not ${JSON.stringify(value)}`);
}

/** Keeps empty items, so that the mistake of two commas in a row is reported. */
function splitList(text: string): string[] {
  return text === "" ? [] : text.split(",").map((item) => item.trim());
}
