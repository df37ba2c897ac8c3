/** The routes of the specification. */

import type { Answer, HeaderFields } from "../http/answer.ts";
import { createTextReader } from "../http/body.ts";
import type { Call, OperationRoute } from "../http/dispatch.ts";
import { chain, type Pending } from "../pending.ts";
import { DEPRECATED_SINCE, SUNSET } from "./contract.ts";
import { createPet, getPet, listPets } from "./operations.ts";
import type { Settings } from "./options.ts";
import { NO_STORE_ORDERS } from "./refusals.ts";

export function createRoutes(settings: Settings): OperationRoute[] {
  const { linkBase, maxBodyBytes, bodyTimeoutMs } = settings;
  const readText = createTextReader({ maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs });
  const deprecation: HeaderFields = {
    deprecation: `@${DEPRECATED_SINCE}`,
    sunset: SUNSET,
    link: `<${linkBase}/pets>; rel="successor-version"`,
  };
  return [
    {
      path: "/pets",
      methods: { GET: (call) => listPets(settings, call), POST: (call) => createPet(settings, readText, call) },
    },
    { path: "/pets/{petId}", methods: { GET: (call) => getPet(settings, call) }, headers: deprecation },
    { path: "/store/orders", methods: { GET: (call) => listStoreOrders(settings, call) } },
  ];
}

/** `GET /store/orders`: the app answers it if it has a handler. */
function listStoreOrders({ handleStoreOrders }: Settings, { exchange }: Call): Pending<Answer> {
  if (!handleStoreOrders) return NO_STORE_ORDERS.toAnswer();
  return chain(handleStoreOrders(exchange.toRequest(), exchange.caller!), toAnswer);
}

function toAnswer(response: Response): Answer {
  // Response.error() has status 0, which cannot be sent.
  const isWhole = response instanceof Response && !response.bodyUsed && !response.body?.locked;
  if (isWhole && response.status >= 200) return { status: response.status, headers: {}, body: response };
  throw new TypeError(
    "Option handleStoreOrders must return a Response with a status of at least 200 and a body that has not been read",
  );
}
