import { Problem } from "../http/problem.ts";
import { IN_WORKERS } from "../http/deadlines.ts";
import { cancelBody, isUnread, ON_BUN, ON_DENO, reasonOf, type Reply, requireSendable } from "../http/reply.ts";
import { trimField } from "../http/request_text.ts";
import { chain } from "../promises.ts";
import type { Definition, Describe, Description } from "./definition.ts";
import { group } from "./failure_groups.ts";

/** The app answers this operation, if it has a handler for it. */
export const listStoreOrders: Definition = {
  id: "listStoreOrders",
  method: "GET",
  effect: "reads",
  path: "/store/orders",
  createHandler({ handleStoreOrders }) {
    const taken = new WeakSet<Response>();
    return ({ context, caller }) => {
      if (!handleStoreOrders) return NO_STORE_ORDERS;
      return chain(handleStoreOrders(context.toRequest(), caller), (response) => takeResponse(response, taken));
    };
  },
};

const NO_STORE_ORDERS = /* @__PURE__ */ new Problem(501, "not_implemented", "This petstore has no store orders");

/** @param taken The responses that were taken before. */
function takeResponse(response: Response, taken: WeakSet<Response>): Reply {
  try {
    return replyOf(response, taken);
  } catch (thrown) {
    // What will not be sent is cancelled. The body of a response that was taken before is another request's.
    if (response instanceof Response && !taken.has(response)) cancelBody(response);
    throw thrown;
  }
}

/**
 * Makes a reply of the app's response, which may come from an upstream with a status, a reason phrase, a header or a coding that cannot be
 * sent on. They are looked at here, so that no later step fails, such as a copy with other headers.
 */
function replyOf(response: Response, taken: WeakSet<Response>): Reply {
  if (!isUsable(response, taken)) {
    throw new TypeError(
      "Option handleStoreOrders must return a Response with a status from 200 to 599 and an unread body",
    );
  }
  const { status, statusText, headers } = response;
  requireSendable(headers);
  taken.add(response);
  const reason = reasonOf(statusText), isDecoded = wasDecoded(response);
  if (reason === statusText && !isDecoded) return { status, headers: {}, body: response };
  const changed = new Headers(headers);
  if (isDecoded) {
    changed.delete("content-encoding");
    changed.delete("content-length");
  }
  return { status, headers: {}, body: new Response(response.body, { status, statusText: reason, headers: changed }) };
}

/** Whether what the app has returned can be sent. JavaScript permits it to return anything, and `Response.error()` has the status 0. */
function isUsable(response: unknown, taken: WeakSet<Response>): response is Response {
  if (!(response instanceof Response)) return false;
  // The host may not have begun to read the body for the request that got this response first, so `isUnread()` does not tell it.
  if (taken.has(response) && response.body !== null) return false;
  const { status } = response;
  return isUnread(response) && Number.isInteger(status) && status >= 200 && status <= 599;
}

/** The codings that `fetch` removes from a body: two on every runtime, more on Node and Bun, and on Node also several of one body. */
function decodedCodings() {
  if (ON_DENO || IN_WORKERS) return /^(?:gzip|br)$/i;
  if (ON_BUN) return /^(?:(?:x-)?gzip|br|deflate|zstd)$/i;
  return /^(?:(?:x-)?gzip|br|deflate|zstd)(?:[ \t]*,[ \t]*(?:(?:x-)?gzip|br|deflate|zstd))*$/i;
}

const DECODED = /* @__PURE__ */ decodedCodings();

/**
 * Whether the headers speak of a coding that the body no longer has. `fetch` decodes a body and leaves its headers; only a response of
 * `fetch` has a URL.
 */
function wasDecoded({ url, headers }: Response): boolean {
  return url !== "" && DECODED.test(trimField(headers.get("content-encoding") ?? ""));
}

const OF_THE_APP: Description["responses"] = { default: { description: "A response of the app." } };

export const describeListStoreOrders: Describe = ({ handleStoreOrders }) => ({
  tag: "store",
  summary: "Store orders",
  description: handleStoreOrders
    ? "The app around the petstore answers this request."
    : "This petstore has no store orders, and answers with 501.",
  // GitBook would show a panel to try the operation, which could only ever answer 501.
  ...(!handleStoreOrders && { more: { "x-hideTryItPanel": true } }),
  responses: handleStoreOrders ? OF_THE_APP : {},
  failures: handleStoreOrders ? [] : [group("this petstore has no store orders", [NO_STORE_ORDERS])],
});
