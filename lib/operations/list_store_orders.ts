import { Problem } from "../http/problem.ts";
import { isUnread, type Reply } from "../http/reply.ts";
import { chain } from "../maybe_promise.ts";
import type { Definition, Describe } from "./definition.ts";
import { group } from "./failure_groups.ts";

/** The app answers it if it has a handler. */
export const listStoreOrders: Definition = {
  id: "listStoreOrders",
  method: "GET",
  effect: "reads",
  path: "/store/orders",
  createHandler: ({ handleStoreOrders }) => ({ context, caller }) => {
    if (!handleStoreOrders) return NO_STORE_ORDERS;
    return chain(handleStoreOrders(context.toRequest(), caller), toReply);
  },
};

const NO_STORE_ORDERS = /* @__PURE__ */ new Problem(501, "not_implemented", "This petstore has no store orders");

function toReply(response: Response): Reply {
  // Response.error() has status 0, which cannot be sent.
  const isWhole = response instanceof Response && isUnread(response);
  if (isWhole && response.status >= 200) return { status: response.status, headers: {}, body: response };
  throw new TypeError(
    "Option handleStoreOrders must return a Response with a status from 200 and an unread body",
  );
}

export const describeListStoreOrders: Describe = ({ handleStoreOrders }) => ({
  tag: "store",
  summary: "Store orders",
  description: handleStoreOrders ? "The app answers this." : "Not served here.",
  // GitBook's panel would only ever show 501.
  ...(!handleStoreOrders && { more: { "x-hideTryItPanel": true } }),
  responses: handleStoreOrders ? { default: { description: "A response of the app." } } : {},
  failures: handleStoreOrders ? [] : [group("there are no store orders here", [NO_STORE_ORDERS])],
});
