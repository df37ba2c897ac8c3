import type { Deprecation } from "./response_fields.ts";

/** A function like `fetch`, which is always called with a `Request` alone. */
export type Fetch = (request: Request) => Promise<Response>;

/** The options of {@link createClient}. */
export interface ClientOptions {
  /** The address of the API, such as `https://pets.example/v1`. The key is sent to it alone. */
  baseUrl: string | URL;
  /** The API key. */
  key: string;
  /** Sends the requests: for example `petstore.handle`, without a socket. Default: the global `fetch`. */
  fetch?: Fetch | undefined;
  /**
   * The time limit of a call with its retries, or of a page of a list, in milliseconds. An attempt
   * that may be repeated has a third of it, at least a second. Default: 30000.
   */
  timeoutMs?: number | undefined;
  /** The most retries of a request. Default: 10, if they fit into `timeoutMs`. */
  maxRetries?: number | undefined;
  /** Called once for each deprecated operation. Its exceptions are ignored. */
  onDeprecation?: ((deprecation: Deprecation) => void) | undefined;
}

export interface ClientSettings {
  baseUrl: string;
  key: string;
  /** Sends a request, by the app's `fetch` or the global one, and resolves with the head of its response. */
  transport: (url: string, init: RequestInit) => Promise<Response>;
  timeoutMs: number;
  maxRetries: number;
  onDeprecation: ClientOptions["onDeprecation"];
}

const NAMES: readonly string[] = [
  "baseUrl",
  "key",
  "fetch",
  "timeoutMs",
  "maxRetries",
  "onDeprecation",
] satisfies (keyof ClientOptions)[];

/** Refuses a misspelt option, which would otherwise have no effect. */
export function requireKnown(options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`Unknown option ${unknown}; the options are ${names.join(", ")}`);
}

export function checkClientOptions(options: ClientOptions): ClientSettings {
  requireKnown(options, NAMES);
  const { baseUrl, key, fetch, timeoutMs = 30_000, maxRetries = 10, onDeprecation } = options;
  for (const [name, value] of Object.entries({ fetch, onDeprecation })) {
    if (value !== undefined && typeof value !== "function") throw wrong(name, "a function");
  }
  return {
    baseUrl: checkBaseUrl(baseUrl),
    key: requireVisible("key", key),
    // Looked up at each call, since instrumentation may replace the global one.
    transport: fetch ? (url, init) => fetch(new Request(url, init)) : (url, init) => globalThis.fetch(url, init),
    // The longest time is that of a timer, whose delay is an int32.
    timeoutMs: checkCount("timeoutMs", timeoutMs, 1, 2 ** 31 - 1),
    maxRetries: checkCount("maxRetries", maxRetries, 0, Infinity),
    onDeprecation,
  };
}

/** Checks a value for a header: it must be visible ASCII. */
export function requireVisible(name: string, value: string): string {
  if (typeof value === "string" && /^[!-~]+$/.test(value)) return value;
  throw wrong(name, "a text of visible ASCII characters without spaces");
}

function checkBaseUrl(baseUrl: string | URL): string {
  const url = parseUrl(String(baseUrl));
  // A base address has no user, no query and no fragment, because the paths are appended to it.
  if (url && /^http/.test(url.href) && url.href === url.origin + url.pathname) {
    return url.href.replace(/\/$/, "");
  }
  throw wrong("baseUrl", `an address such as "https://pets.example/v1"`);
}

/** Parses a URL, or returns undefined. `URL.canParse()` is too new for some browsers. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function checkCount(name: string, value: number, least: number, most: number): number {
  if (typeof value === "number" && value >= least && value <= most) return value;
  throw new RangeError(`Option ${name} must be a number from ${least} to ${most}`);
}

/** Quotes no value: it may be a secret, also in the wrong place. */
function wrong(name: string, wanted: string): TypeError {
  return new TypeError(`Option ${name} must be ${wanted}`);
}
