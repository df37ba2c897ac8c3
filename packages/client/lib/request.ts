import { quoted } from "./json.ts";
import { PetstoreError, type PetstoreErrorCode } from "./error.ts";
import { textsOf } from "./redaction.ts";

export const MAX_BODY_BYTES: number = 16 * 2 ** 20;

export interface Answer<T> {
  value: T;
  headers: Headers;
  /** Makes the error of a response that cannot be used. */
  refuse: (message: string) => PetstoreError;
}

export interface Exchange<T> {
  fetch: () => Promise<Response>;
  /** The method and the address, for messages. */
  asked: string;
  /** Throws if the body is not what was asked for, a `SyntaxError` if it is no JSON. */
  read: (text: string) => T;
  /** Hides the key in a text, because a server may send it back. */
  hide: (text: string) => string;
}

interface Failure {
  code?: unknown;
  message?: unknown;
}

/** @throws {PetstoreError} For every failure of the network and of the server. */
export async function send<T>({ fetch, asked, read, hide }: Exchange<T>): Promise<Answer<T>> {
  let response: Response | undefined, text: string | undefined;
  const failure = (code: PetstoreErrorCode, message: string, cause?: unknown) => {
    return new PetstoreError(hide(code), hide(message), {
      status: response?.status,
      requestId: hide(response?.headers.get("x-request-id") ?? "") || undefined,
      retryAfterMs: response && retryAfter(response.headers),
      cause,
    });
  };
  const refuse = (message: string, cause?: unknown) => failure("unexpected_response", message, cause);
  try {
    response = await fetch();
    text = await readText(response);
  } catch (cause) {
    const texts = textsOf(cause, hide);
    // A permission of Deno, which the next attempt would not have either.
    if (texts?.name === "NotCapable") throw texts;
    const reason = innermost(texts) + (response ? "" : hintOfBrowser(asked));
    throw failure("connection_failed", `${asked} got no whole response${reason}`, texts);
  }
  if (text === undefined) throw refuse(`${asked} got more than ${MAX_BODY_BYTES} bytes`, new RangeError());
  let body: Failure | undefined | null;
  try {
    if (response.ok) return { value: read(text), headers: response.headers, refuse };
    body = JSON.parse(text);
  } catch (cause) {
    // A body without a length looks whole although it was cut. The cause is left out, since its message quotes the
    // body.
    if (cause instanceof SyntaxError && isJson(response, text) && !isRedirect(response)) {
      throw failure("connection_failed", `${asked} got incomplete JSON: ${quoted(hide(text))}`);
    }
  }
  const { code, message } = (body ?? {}) as Failure;
  if (typeof code === "string" && typeof message === "string") throw failure(code, message);
  throw refuse(`${asked} ${foreign(response, hide(text))}`);
}

/** What the last error of a chain says, which is the system's: the first one often says only that `fetch` failed. */
function innermost(texts: Error | undefined): string {
  let reason = "";
  for (const { message, code } of chainOf(texts)) reason = message || code || reason;
  return reason && `: ${reason}`;
}

/**
 * What a browser may mean by a failure: it does not tell a page that the server does not permit pages of its origin (CORS), which looks
 * like a server that is not there. Empty outside of a browser, and for the page's own origin.
 */
function hintOfBrowser(asked: string): string {
  const { origin } = (globalThis as { location?: { origin?: string } }).location ?? {};
  if (origin === undefined || asked.includes(` ${origin}/`)) return "";
  return `; if the server runs, it may not permit pages of ${origin} (CORS)`;
}

/** Iterates over an error and its causes. */
export function* chainOf(error: unknown): Generator<{ message?: string; code?: string; cause?: unknown }> {
  for (let each = error; each instanceof Error; each = each.cause) yield each;
}

export function isDeno(): boolean {
  return /Deno/.test(globalThis.navigator?.userAgent);
}

/** `undefined` if it is too long: a few compressed bytes may become gigabytes. */
async function readText(response: Response): Promise<string | undefined> {
  const { body, headers, type } = response;
  // On Deno, a stream is slower, and the body of its own fetch has this length unless it is chunked or compressed.
  const length = isDeno() && type === "basic" && !headers.has("transfer-encoding") &&
    !headers.has("content-encoding") &&
    headers.get("content-length");
  // React Native has no stream for a body, so it is read as one text.
  if (!body || (length && +length <= MAX_BODY_BYTES)) return await response.text();
  const reader = body.getReader(), decoder = new TextDecoder();
  let text = "", read = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    read += value.length;
    if (read > MAX_BODY_BYTES) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

function isJson({ headers }: Response, text: string): boolean {
  const type = headers.get("content-type");
  return type ? type.toLowerCase().includes("json") : /^\s*[[{]/.test(text);
}

function foreign(response: Response, text: string): string {
  if (!isRedirect(response)) return `got no answer of a petstore, but ${response.status} ${quoted(text)}`;
  const target = response.headers.get("location") ?? "another address";
  return `is redirected to ${target}; baseUrl must be the address that answers`;
}

/** A browser hides the status of a redirect, and its target. */
function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

/** RFC 9110 §10.2.3, in milliseconds. A date is compared with the server's own clock. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return 1000 * Number(value);
  const wait = parseDate(value) - (parseDate(headers.get("date") ?? "") || Date.now());
  return isNaN(wait) ? undefined : Math.max(0, wait);
}

/** A date in the obsolete form of asctime() has no zone, but means GMT (RFC 9110 §5.6.7). */
function parseDate(value: string): number {
  return Date.parse(value.endsWith("GMT") ? value : `${value} GMT`);
}
