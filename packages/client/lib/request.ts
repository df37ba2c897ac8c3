import { PetstoreError, type ResponseFacts } from "./error.ts";
import { type Hide, keptError } from "./redaction.ts";
import { retryAfter } from "./response_fields.ts";

/** A success of a petstore. */
export interface Answer<T> {
  /** The body, read by `parse`. */
  value: T;
  headers: Headers;
  /** What an error has to say of the response, if a caller finds something wrong with it later. */
  facts: ResponseFacts;
}

/** What is known about a request before it is sent. */
export interface Exchange<T> {
  /**
   * The method and the address, such as `GET https://api.example/v1/pets`, for messages. The text
   * does not have the key.
   */
  requestLine: string;
  /** Reads the body of a success. It throws if that is not what was asked for, a `SyntaxError` if it is no JSON. */
  parse: (text: string) => T;
  /** Hides the key in a text, because a server may send it back. */
  hide: Hide;
}

/**
 * Sends a request, and reads its response.
 *
 * @param sendRequest Resolves with the head of the response.
 * @throws {PetstoreError} For every failure of the network and of the server.
 * @throws {Error} Deno's `NotCapable`, if the program lacks the permission. The next attempt would
 * not have it either.
 */
export async function getAnswer<T>(
  sendRequest: () => Promise<Response>,
  exchange: Exchange<T>,
): Promise<Answer<T>> {
  const received = await receive(sendRequest, exchange);
  const { response: { ok, headers }, facts } = received;
  if (ok) return { value: parseBody(received, exchange.parse, exchange), headers, facts };
  const { code, message } = parseBody(received, parseFailure, exchange);
  throw new PetstoreError(exchange.hide(code), exchange.hide(message), facts);
}

/** A response that has come to its end. */
interface Received {
  response: Response;
  text: string;
  facts: ResponseFacts;
}

/** @throws {PetstoreError} `connection_failed`, with the facts of the head if that has come. */
async function receive(
  sendRequest: () => Promise<Response>,
  { requestLine, hide }: Exchange<unknown>,
): Promise<Received> {
  let facts: ResponseFacts | undefined;
  try {
    const response = await sendRequest();
    facts = factsOf(response, hide);
    return { response, text: await response.text(), facts };
  } catch (thrown) {
    const cause = keptError(thrown, hide);
    if (cause.name === "NotCapable") throw cause;
    throw new PetstoreError("connection_failed", `${requestLine} got no whole response: ${cause.message}`, {
      ...facts,
      cause,
    });
  }
}

/** @throws {PetstoreError} If the body is not what `parse` reads. */
function parseBody<T>(
  { response, text, facts }: Received,
  parse: Exchange<T>["parse"],
  { requestLine, hide }: Exchange<unknown>,
): T {
  try {
    return parse(text);
  } catch (thrown) {
    // What was thrown is dropped, because its message quotes the body, perhaps with the key.
    if (thrown instanceof SyntaxError && isDeclaredJson(response)) {
      // A body without a length looks whole although it was cut. Such a request may be repeated.
      const message = `${requestLine} got incomplete JSON: ${quoted(hide(text))}`;
      throw new PetstoreError("connection_failed", message, facts);
    }
    throw unexpected(`${requestLine} ${describeForeign(response, hide, text)}`, facts);
  }
}

/** Reads the body of a petstore's failure. */
function parseFailure(text: string): { code: string; message: string } {
  const { code, message } = JSON.parse(text);
  if (typeof code === "string" && typeof message === "string") return { code, message };
  throw new TypeError();
}

/** The error of a response that cannot be used. The message must not have the key. */
export function unexpected(message: string, facts: ResponseFacts): PetstoreError {
  return new PetstoreError("unexpected_response", message, facts);
}

function factsOf({ status, headers }: Response, hide: Hide): ResponseFacts {
  const requestId = headers.get("x-request-id");
  return { status, requestId: requestId ? hide(requestId) : undefined, retryAfterMs: retryAfter(headers) };
}

/** Whether a response is declared as JSON, so that a body which is no JSON has been cut. */
function isDeclaredJson(response: Response): boolean {
  if (isRedirect(response)) return false;
  const type = response.headers.get("content-type")?.toLowerCase();
  if (type?.includes("json")) return true;
  // Over plain HTTP, Chromium takes a head that was cut for a whole one. A success may have lost
  // its type, or the end of its type.
  const isCut = type === undefined || "application/json".startsWith(type);
  return response.ok && isCut;
}

/** Says, as the second half of a sentence, that no petstore has answered, or not with what it was asked for. */
function describeForeign(response: Response, hide: Hide, text: string): string {
  if (!isRedirect(response)) return `got no answer of a petstore, but ${response.status} ${quoted(hide(text))}`;
  const target = hide(response.headers.get("location") ?? "another address");
  return `is redirected to ${target}; baseUrl must be the address that answers`;
}

/**
 * A browser hides the status of a redirect, and its target. The status 304 says that a kept
 * response is fresh, and leads nowhere.
 */
function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304);
}

/** Quotes the beginning of a text that a server has sent, so that a long response does not make a long message. */
function quoted(text: string): string {
  return JSON.stringify(text.length <= 64 ? text : text.slice(0, 64).toWellFormed() + "…");
}
