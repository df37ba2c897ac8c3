import { PetstoreError, type PetstoreErrorCode } from "./error.ts";
import { redactedCopy } from "./redaction.ts";

/** The longest body that is read, decompressed: a few compressed bytes may become gigabytes. */
const MAX_BODY_BYTES = 16 * 2 ** 20;

export interface Answer<T> {
  value: T;
  headers: Headers;
  /** Makes the error of a response that cannot be used. */
  createUnexpected: (message: string) => PetstoreError;
}

export interface Exchange<T> {
  fetch: () => Promise<Response>;
  /** The method and the address, such as `GET https://api.example/v1/pets`, for messages. */
  requestLine: string;
  /** Reads the body of a success. It throws if that is not what was asked for, a `SyntaxError` if it is no JSON. */
  parse: (text: string) => T;
  /** Hides the key in a text, because a server may send it back. */
  hide: (text: string) => string;
}

/** The body of an error response of a petstore. */
interface ErrorBody {
  code?: unknown;
  message?: unknown;
}

/**
 * Sends a request and reads its response.
 *
 * @throws {PetstoreError} For every failure of the network and of the server.
 * @throws {Error} Deno's `NotCapable`, if the program lacks the permission. The next attempt would not have it either.
 */
export async function send<T>({ fetch, requestLine, parse, hide }: Exchange<T>): Promise<Answer<T>> {
  /** It is undefined until the response has come. An error that is made before has no status. */
  let response: Response | undefined;
  let text: string | undefined;
  const createError = (code: PetstoreErrorCode, message: string, cause?: unknown) => {
    return new PetstoreError(hide(code), hide(message), {
      status: response?.status,
      requestId: hide(response?.headers.get("x-request-id") ?? "") || undefined,
      retryAfterMs: response && retryAfter(response.headers),
      cause,
    });
  };
  const createUnexpected = (message: string) => createError("unexpected_response", message);
  try {
    response = await fetch();
    text = await readText(response);
  } catch (thrown) {
    const cause = redactedCopy(thrown, hide);
    if (cause?.name === "NotCapable") throw cause;
    const reason = innermostMessage(cause) + (response ? "" : corsHint(requestLine));
    throw createError("connection_failed", `${requestLine} got no whole response${reason}`, cause);
  }
  if (text === undefined) {
    throw createUnexpected(`${requestLine} got more than ${MAX_BODY_BYTES} bytes`);
  }
  const result = readResult(response, text, parse);
  switch (result.kind) {
    case "success":
      return { value: result.value, headers: response.headers, createUnexpected };
    case "failure":
      throw createError(result.code, result.message);
    case "cut":
      throw createError("connection_failed", `${requestLine} got incomplete JSON: ${quoted(hide(text))}`);
    case "foreign":
      throw createUnexpected(`${requestLine} ${describeForeign(response, hide(text))}`);
  }
}

/** What a response is by its body. */
type Result<T> =
  | { kind: "success"; value: T }
  | { kind: "failure"; code: string; message: string }
  /** The beginning of some JSON. A body without a length looks whole although it was cut. Such a request may be repeated. */
  | { kind: "cut" }
  /** The response of something other than a petstore, or not what was asked for. */
  | { kind: "foreign" };

function readResult<T>(response: Response, text: string, parse: (text: string) => T): Result<T> {
  try {
    if (response.ok) return { kind: "success", value: parse(text) };
    const { code, message } = (JSON.parse(text) ?? {}) as ErrorBody;
    if (typeof code === "string" && typeof message === "string") return { kind: "failure", code, message };
    return { kind: "foreign" };
  } catch (thrown) {
    // The error is dropped, because its message quotes the body, perhaps with the key.
    return { kind: thrown instanceof SyntaxError && isToBeJson(response) ? "cut" : "foreign" };
  }
}

/** Whether a response was to be JSON. Over plain HTTP, Chromium takes a head that was cut for a whole one, whose type may be missing or cut. */
function isToBeJson(response: Response): boolean {
  if (isRedirect(response)) return false;
  const type = response.headers.get("content-type")?.toLowerCase() ?? "";
  const isMissingOrCut = "application/json".startsWith(type);
  return type.includes("json") || (response.ok && isMissingOrCut);
}

/**
 * The message of the last error in a chain of causes, with a colon before it, or "" if no error has one. The last error is the system's, while
 * the first often says only that `fetch` failed.
 */
function innermostMessage(error: Error | undefined): string {
  let last = "";
  for (const { message, code } of chainOf(error)) last = message || code || last;
  return last === "" ? "" : `: ${last}`;
}

/**
 * A hint that the server may not permit pages of this page's origin (CORS). A browser does not tell a page so: the failure looks as if the
 * server were not there. The hint is empty outside of a browser, and for a server of the page's own origin.
 */
function corsHint(requestLine: string): string {
  const { origin } = (globalThis as { location?: { origin?: string } }).location ?? {};
  if (origin === undefined || requestLine.includes(` ${origin}/`)) return "";
  return `; if the server runs, it may not permit pages of ${origin} (CORS)`;
}

/** Iterates over an error and its causes. */
export function* chainOf(error: unknown): Generator<{ message?: string; code?: string; cause?: unknown }> {
  for (let each = error; each instanceof Error; each = each.cause) yield each;
}

/** Reads a body as text. The result is undefined if it is too long. */
async function readText(response: Response): Promise<string | undefined> {
  // React Native has no stream for a body, so it is read as one text.
  if (!response.body) return await response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > MAX_BODY_BYTES) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Says, as the second half of a sentence, what has answered in place of a petstore. */
function describeForeign(response: Response, text: string): string {
  if (!isRedirect(response)) return `got no answer of a petstore, but ${response.status} ${quoted(text)}`;
  const target = response.headers.get("location") ?? "another address";
  return `is redirected to ${target}; baseUrl must be the address that answers`;
}

/** Quotes the beginning of a text that a server has sent, so that a long response does not make a long message. */
function quoted(text: string): string {
  return JSON.stringify(text.length <= 64 ? text : text.slice(0, 64).toWellFormed() + "…");
}

/** A browser hides the status of a redirect, and its target. */
function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

/** The time that a server asks a client to wait (RFC 9110 §10.2.3), in milliseconds. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const wait = /^\d+$/.test(value) ? 1000 * Number(value) : Date.parse(value) - Date.now();
  return isNaN(wait) ? undefined : Math.max(0, wait);
}
