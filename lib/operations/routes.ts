/** The routes of the specification. */

import type { HeaderFields, Reply } from "../http/reply.ts";
import type { Operation, OperationRoute } from "../http/dispatch.ts";
import { chain } from "../maybe_promise.ts";
import { READ_ONLY_KEY } from "../access/bearer.ts";
import { createPet, getPet, listPets } from "./operations.ts";
import type { Settings } from "../petstore/options.ts";
import { NO_STORE_ORDERS } from "./errors.ts";

/** When `GET /pets/{petId}` was deprecated, in seconds since 1970 (RFC 9745). */
export const DEPRECATED_SINCE = 1_795_132_800;

/** The announced removal date of that operation, as an HTTP date (RFC 8594). This code still serves it afterwards. */
export const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";

/** The path of the deprecated operation. */
export const DEPRECATED_PATH = "/pets/{petId}";

export function createRoutes(settings: Settings): OperationRoute[] {
  const deprecation: HeaderFields = {
    deprecation: `@${DEPRECATED_SINCE}`,
    sunset: SUNSET,
    link: `<${settings.linkBase}/pets>; rel="successor-version"`,
  };
  return [
    { path: "/pets", methods: { GET: listPets(settings), POST: forWriters(createPet(settings)) } },
    { path: DEPRECATED_PATH, methods: { GET: getPet(settings) }, headers: deprecation },
    { path: "/store/orders", methods: { GET: listStoreOrders(settings) } },
  ];
}

/** Refuses callers that may only read, before the body is read. */
function forWriters(operation: Operation): Operation {
  return (call) => call.context.caller!.readOnly ? READ_ONLY_KEY.toReply() : operation(call);
}

/** `GET /store/orders`: the app answers it if it has a handler. */
function listStoreOrders({ handleStoreOrders }: Settings): Operation {
  if (!handleStoreOrders) return () => NO_STORE_ORDERS.toReply();
  return ({ context }) => chain(handleStoreOrders(context.toRequest(), context.caller!), toReply);
}

function toReply(response: Response): Reply {
  // Response.error() has status 0, which cannot be sent.
  const isWhole = response instanceof Response && !response.bodyUsed && !response.body?.locked;
  if (isWhole && response.status >= 200) return { status: response.status, headers: {}, body: response };
  throw new TypeError(
    "Option handleStoreOrders must return a Response with a status of at least 200 and a body that has not been read",
  );
}
