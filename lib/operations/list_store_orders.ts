import { askApp } from "../http/app_response.ts";
import { Problem } from "../http/problem.ts";
import type { Reply } from "../http/reply.ts";
import type { Definition, Describe, Description } from "./definition.ts";
import { group } from "./failure_groups.ts";

/** The app answers this operation, if it has a handler for it. */
export const listStoreOrders: Definition = {
  id: "listStoreOrders",
  method: "GET",
  effect: "reads",
  path: "/store/orders",
  createHandler({ cors, handleStoreOrders }) {
    if (!handleStoreOrders) return () => NO_STORE_ORDERS;
    return async ({ context, caller }) => {
      const request = context.toRequest();
      const reply = await askApp(request, () => handleStoreOrders(request, caller));
      return cors ? withoutGrants(reply) : reply;
    };
  },
};

/**
 * The reply without its own permissions for pages of other origins, which the option `cors` gives
 * for the whole API.
 */
function withoutGrants(reply: Reply): Reply {
  const fields = Object.entries(reply.headers).filter(([name]) => !name.startsWith("access-control-allow-"));
  return { ...reply, headers: Object.fromEntries(fields) };
}

const NO_STORE_ORDERS = /* @__PURE__ */ new Problem(501, "not_implemented", "This petstore has no store orders");

// The description for OpenAPI.

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
