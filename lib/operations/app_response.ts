/**
 * Makes a reply of the `Response` that an app returns, which may come from an upstream with a status, a reason phrase, a header or a coding
 * that cannot be sent on. All of it is looked at here, so that no later step fails, such as a copy with other headers.
 */

import { IN_WORKERS, ON_BUN, ON_DENO } from "../http/platform.ts";
import { cancelBody, isSendableStatus, reasonOf, type Reply, requireSendableHeaders } from "../http/reply.ts";
import { discard } from "../promises.ts";

const WRONG_RESPONSE = "Option handleStoreOrders must return an unread Response with status 200 to 599";

/**
 * @param takenBodies The bodies of earlier responses, to which that of this one is added. A body is sent once, and does not tell by itself
 * that it was taken: the host may not have begun to read it.
 * @throws {TypeError} If the response cannot be sent. Its body is then cancelled, unless an earlier request needs it.
 */
export function takeResponse(given: Response, takenBodies: WeakSet<ReadableStream>): Reply {
  // JavaScript permits the app to return anything. The class is not asked: Hono on Node replaces the global `Response`, and `fetch` does
  // not use it.
  if (!given) throw new TypeError(WRONG_RESPONSE);
  // On Bun, a text whose body is looked at loses its type, and the copy below finds out that a body was taken.
  if (!ON_BUN && takenBodies.has(given.body!)) throw new TypeError(WRONG_RESPONSE);
  try {
    const { url } = given;
    return ON_BUN || IN_WORKERS ? replyOf(copyOf(given), url) : replyOf(readOnce(given, takenBodies), url);
  } catch (thrown) {
    cancelBody(given);
    throw thrown;
  }
}

/**
 * Copies the app's object, which fails if its body was taken before. The copy keeps what is no member: on Bun the
 * type of a text, which only a clone keeps, and on Workers that the app has coded the body itself, which only the constructor keeps.
 */
function copyOf(given: Response): Response {
  if (IN_WORKERS) return new Response(given.body, given);
  const copy = given.clone();
  // The copy alone reads the body from now on.
  discard(given.body);
  return copy;
}

/** What is read of an app's response. */
type ResponseMembers = Pick<Response, "body" | "headers" | "status" | "statusText">;

/**
 * Reads each member of the app's object once. A member may have another value each time it is read, so the value that was looked at must be
 * the one that is sent. A body that was read fails later, because the constructor of `Response` refuses it.
 */
function readOnce(given: Response, takenBodies: WeakSet<ReadableStream>): ResponseMembers {
  const { body, headers, status, statusText } = given;
  if (body) takenBodies.add(body);
  return { body, headers, status, statusText };
}

/** @param response A copy of the response is sent as it is, if nothing of it must change. */
function replyOf(response: Response | ResponseMembers, url: string): Reply {
  const { status, statusText } = response;
  if (!isSendableStatus(status)) throw new TypeError(WRONG_RESPONSE);
  const headers = new Headers(response.headers);
  requireSendableHeaders(headers);
  const reason = reasonOf(statusText);
  const isDecoded = wasDecoded(url, headers);
  const needsNoChange = reason === statusText && !isDecoded;
  if (needsNoChange && response instanceof Response) return { status, headers: {}, body: response };
  if (isDecoded) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  const body = new Response(response.body, { status, statusText: reason, headers });
  // The URL is kept because `cancelSource()` asks whether the response is one of `fetch`.
  return { status, headers: {}, body: Object.defineProperty(body, "url", { value: url }) };
}

/** The codings that `fetch` removes from a body. It leaves the headers that speak of them. */
const DECODED = ON_DENO || IN_WORKERS ? ["gzip", "br"] : ["gzip", "x-gzip", "br", "deflate", "zstd"];

/** Whether the body is no longer coded as the headers say. Only a response of `fetch` has a URL. */
function wasDecoded(url: string, headers: Headers): boolean {
  const coding = headers.get("content-encoding")?.toLowerCase();
  if (!url || coding === undefined) return false;
  // Node also decodes a body that has several codings.
  const codings = ON_DENO || ON_BUN || IN_WORKERS ? [coding] : coding.split(",");
  return codings.every((each) => DECODED.includes(each.trim()));
}
