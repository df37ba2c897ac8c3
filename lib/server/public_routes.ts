/** The routes that need no key: the OpenAPI description and its web page, and the probes for liveness and readiness. */

import { ALLOW_ORIGIN } from "../http/cors.ts";
import { representation } from "../http/conditional.ts";
import type { OperationRoute } from "../http/dispatch.ts";
import { createDocsRoutes, type PageFacts } from "./viewer/routes.ts";
import type { OpenApiOptions } from "../openapi/openapi.ts";
import { describeServer } from "./description.ts";
import { OK } from "./drain_gate.ts";
import { chain, type MaybePromise } from "../maybe_promise.ts";
import { INCOMPLETE } from "./errors.ts";
import type { PetStore } from "../stores/store.ts";

/** What the public routes need beside the store. */
export interface PublicParts extends PageFacts {
  /** Whether to serve the description as a web page. */
  hasDocs: boolean;
  /** Whether the isolates beside this one serve too. */
  isComplete: () => boolean;
}

/** @param options The options of the petstore. */
export function createPublicRoutes(
  store: PetStore,
  options: OpenApiOptions,
  { hasDocs, isComplete, keyPlace }: PublicParts,
): OperationRoute[] {
  const description = representation(JSON.stringify(describeServer(options)), "always");
  const checkWrites = onceInAWhile(() => store.checkWrites?.());
  const check = (query: string) =>
    new URLSearchParams(query).has("writes") ? chain(store.check(), checkWrites) : store.check();
  return [
    {
      path: "/openapi.json",
      methods: { GET: () => description },
      // Web pages of any origin may read the description, because it contains no secrets.
      headers: { [ALLOW_ORIGIN]: "*" },
    },
    { path: "/livez", methods: { GET: () => OK } },
    {
      path: "/readyz",
      methods: { GET: ({ query }) => chain(check(query), () => isComplete() ? OK : INCOMPLETE.toReply()) },
    },
    ...(hasDocs ? createDocsRoutes({ keyPlace }) : []),
  ];
}

/** The shortest time between two checks of writes, in milliseconds. */
const INTERVAL = 1_000;

/** Repeats the last result for a second. Anybody may ask, and each check waits for the disk. */
function onceInAWhile(check: () => MaybePromise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  let isOver = false;
  let checkedAt = 0;
  return () => {
    if (last && (!isOver || performance.now() - checkedAt < INTERVAL)) return last;
    isOver = false;
    const done = () => {
      isOver = true;
      checkedAt = performance.now();
    };
    // Called later, so that an exception becomes a rejection.
    last = Promise.resolve().then(check);
    last.then(done, done);
    return last;
  };
}
