import { Problem } from "../http/problem.ts";
import { IN_WORKERS, ON_BUN, ON_DENO } from "../http/platform.ts";
import { cancelBody, isSendableStatus, reasonOf, type Reply, requireSendable } from "../http/reply.ts";
import { chain, discard } from "../promises.ts";
import type { Definition, Describe, Description } from "./definition.ts";
import { group } from "./failure_groups.ts";

/** The app answers this operation, if it has a handler for it. */
export const listStoreOrders: Definition = {
  id: "listStoreOrders",
  method: "GET",
  effect: "reads",
  path: "/store/orders",
  createHandler({ handleStoreOrders }) {
    // The bodies that were taken. The host may not have begun to read one, so the body itself does not tell it.
    const takenBodies = new WeakSet<ReadableStream>();
    return ({ context, caller }) => {
      if (!handleStoreOrders) return NO_STORE_ORDERS;
      return chain(handleStoreOrders(context.toRequest(), caller), (response) => takeResponse(response, takenBodies));
    };
  },
};

const NO_STORE_ORDERS = /* @__PURE__ */ new Problem(501, "not_implemented", "This petstore has no store orders");

const WRONG_RESPONSE = "Option handleStoreOrders must return an unread Response with status 200 to 599";

function takeResponse(given: Response, takenBodies: WeakSet<ReadableStream>): Reply {
  // JavaScript permits the app to return anything. The class is not asked: Hono on Node replaces the global `Response`, and `fetch` does
  // not use it.
  if (!given) throw new TypeError(WRONG_RESPONSE);
  // The body is not cancelled, because the request that got it first needs it. On Bun, a text whose body is looked at loses its type, and
  // the copy below finds out that a body was taken.
  if (!ON_BUN && takenBodies.has(given.body!)) throw new TypeError(WRONG_RESPONSE);
  try {
    return replyOf(ON_BUN || IN_WORKERS ? copyOf(given) : readOnce(given, takenBodies), given.url);
  } catch (thrown) {
    // What will not be sent is cancelled.
    cancelBody(given);
    throw thrown;
  }
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

/**
 * Makes a reply of the app's response, which may come from an upstream with a status, a reason phrase, a header or a coding that cannot be
 * sent on. They are looked at here, so that no later step fails, such as a copy with other headers.
 *
 * @param response A copy of the response is sent as it is, if nothing of it must change.
 */
function replyOf(response: Response | ResponseMembers, url: string): Reply {
  const { status, statusText } = response;
  if (!isSendableStatus(status)) throw new TypeError(WRONG_RESPONSE);
  const headers = new Headers(response.headers);
  requireSendable(headers);
  const reason = reasonOf(statusText);
  const isDecoded = wasDecoded(url, headers);
  const isSendable = reason === statusText && !isDecoded;
  if (isSendable && response instanceof Response) return { status, headers: {}, body: response };
  if (isDecoded) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  const body = new Response(response.body, { status, statusText: reason, headers });
  // The URL is kept because `cancelSource()` asks whether the response is one of `fetch`.
  return { status, headers: {}, body: Object.defineProperty(body, "url", { value: url }) };
}

/**
 * Whether the headers speak of a coding that the body no longer has. `fetch` decodes a body and leaves its headers; only a response of
 * `fetch` has a URL.
 */
function wasDecoded(url: string, headers: Headers): boolean {
  return !!url && DECODED.test(headers.get("content-encoding") ?? "");
}

/** The codings that `fetch` removes from a body: two on every runtime, more on Node and Bun, and on Node also several of one body. */
function decodedCodings() {
  if (ON_DENO || IN_WORKERS) return /^(?:gzip|br)$/i;
  if (ON_BUN) return /^(?:(?:x-)?gzip|br|deflate|zstd)$/i;
  return /^(?:(?:x-)?gzip|br|deflate|zstd)(?:[ \t]*,[ \t]*(?:(?:x-)?gzip|br|deflate|zstd))*$/i;
}

const DECODED = /* @__PURE__ */ decodedCodings();

const OF_THE_APP: Description["responses"] = { default: { description: "A response of the app." } };

export const describeListStoreOrders: Describe = ({ handleStoreOrders }) => ({
  tag: "store",
  summary: "Store orders",
  description: handleStoreOrders
    ? "The app around the petstore answers this request."
    : "This petstore has no store orders, and answers with 501.",
  // GitBook would show a panel to try the operation, which could only ever answer 501.
  ...(!handleStoreOrders && { ownMembers: { "x-hideTryItPanel": true } }),
  responses: handleStoreOrders ? OF_THE_APP : {},
  failures: handleStoreOrders ? [] : [group("this petstore has no store orders", [NO_STORE_ORDERS])],
});
