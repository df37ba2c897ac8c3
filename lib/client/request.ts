/** One request and its response. */

import { quoted } from "../json.ts";
import { PetstoreError, type PetstoreErrorCode } from "./error.ts";

/** What a request has brought. */
export interface Answer<T> {
  value: T;
  headers: Headers;
}

/**
 * Sends a request once, and reads the whole response.
 *
 * @param asked The method and the address, for messages.
 * @param read Reads the body of a success. Throws if it is not what was asked for, a `SyntaxError` if it is no JSON.
 * @throws {PetstoreError} For every failure of the network and of the server.
 */
export async function send<T>(
  fetch: () => Promise<Response>,
  asked: string,
  read: (text: string) => T,
): Promise<Answer<T>> {
  let response: Response | undefined, text: string;
  try {
    response = await fetch();
    text = await response.text();
  } catch (cause) {
    // A permission of Deno, which the next try would not have either.
    if ((cause as Error | undefined)?.name === "NotCapable") throw cause;
    throw failure(response, "connection_failed", `${asked} got no whole response`, cause);
  }
  let body: { code?: unknown; message?: unknown } | undefined;
  try {
    if (response.ok) return { value: read(text), headers: response.headers };
    body = JSON.parse(text) ?? undefined;
  } catch (cause) {
    // Without a length, a body that was cut looks whole.
    if (cause instanceof SyntaxError && isJson(response) && !isRedirect(response)) {
      throw failure(response, "connection_failed", `${asked} got incomplete JSON: ${quoted(text)}`, cause);
    }
  }
  const { code, message } = body ?? {};
  if (typeof code === "string" && typeof message === "string") throw failure(response, code, message);
  throw failure(response, "unexpected_response", `${asked} ${foreign(response, text)}`);
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.includes("json") ?? false;
}

/** What answered in place of a petstore. */
function foreign(response: Response, text: string): string {
  if (!isRedirect(response)) return `got no answer of a petstore, but ${response.status} ${quoted(text)}`;
  const target = response.headers.get("location") ?? "another address";
  return `is redirected to ${target}; baseUrl must be the address that answers`;
}

/** A browser hides the status of a redirect, and its target. */
function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

function failure(response: Response | undefined, code: PetstoreErrorCode, message: string, cause?: unknown) {
  const { status, headers } = response ?? {};
  const requestId = headers?.get("x-request-id") ?? undefined;
  return new PetstoreError(code, message, { status, requestId, retryAfterMs: headers && retryAfter(headers), cause });
}

/**
 * The milliseconds of `Retry-After` (RFC 9110 §10.2.3). A date is compared with the server's own clock, if the response tells it.
 */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return 1000 * Number(value);
  const wait = parseDate(value) - (parseDate(headers.get("date") ?? "") || Date.now());
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** A date in the obsolete form of asctime() has no zone, but means GMT (RFC 9110 §5.6.7). */
function parseDate(value: string): number {
  return Date.parse(value.endsWith("GMT") ? value : `${value} GMT`);
}
