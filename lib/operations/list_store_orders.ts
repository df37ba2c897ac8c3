import { Problem } from "../http/problem.ts";
import { cancelBody, isUnread, reasonOf, type Reply } from "../http/reply.ts";
import { chain } from "../promises.ts";
import type { Definition, Describe, Description } from "./definition.ts";
import { group } from "./failure_groups.ts";

/** The app answers this operation, if it has a handler for it. */
export const listStoreOrders: Definition = {
  id: "listStoreOrders",
  method: "GET",
  effect: "reads",
  path: "/store/orders",
  createHandler: ({ handleStoreOrders }) => ({ context, caller }) => {
    if (!handleStoreOrders) return NO_STORE_ORDERS;
    return chain(handleStoreOrders(context.toRequest(), caller), takeResponse);
  },
};

const NO_STORE_ORDERS = /* @__PURE__ */ new Problem(501, "not_implemented", "This petstore has no store orders");

/**
 * Takes the response of the app, which may come from an upstream with a status, a reason phrase or a coding that cannot be sent on.
 * They are looked at here, so that no later step fails, such as a copy with other headers.
 */
function takeResponse(response: Response): Reply {
  const isWhole = response instanceof Response && isUnread(response);
  const { status = 0, statusText = "", headers = new Headers() } = isWhole ? response : {};
  // What is no usable `Response` counts as one with the status 0, which `Response.error()` has.
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    if (isWhole) cancelBody(response);
    throw new TypeError(
      "Option handleStoreOrders must return a Response with a status from 200 to 599 and an unread body",
    );
  }
  const reason = reasonOf(statusText), isDecoded = wasDecoded(response);
  if (reason === statusText && !isDecoded) return { status, headers: {}, body: response };
  const kept = new Headers(headers);
  if (isDecoded) { for (const name of ["content-encoding", "content-length"]) kept.delete(name); }
  return { status, headers: {}, body: new Response(response.body, { status, statusText: reason, headers: kept }) };
}

/** The codings that `fetch` removes on every runtime. */
const DECODED = /^(?:gzip|br)$/i;

/**
 * Whether the headers speak of a coding that the body no longer has. `fetch` decodes a body and leaves its headers; only a response of
 * `fetch` has a URL.
 */
function wasDecoded({ url, headers }: Response): boolean {
  return url !== "" && DECODED.test(headers.get("content-encoding") ?? "");
}

const OF_THE_APP: Description["responses"] = { default: { description: "A response of the app." } };

export const describeListStoreOrders: Describe = ({ handleStoreOrders }) => ({
  tag: "store",
  summary: "Store orders",
  description: handleStoreOrders ? "The app answers this." : "Not served here.",
  // GitBook would show a panel to try the operation, which could only ever answer 501.
  ...(!handleStoreOrders && { more: { "x-hideTryItPanel": true } }),
  responses: handleStoreOrders ? OF_THE_APP : {},
  failures: handleStoreOrders ? [] : [group("there are no store orders here", [NO_STORE_ORDERS])],
});
