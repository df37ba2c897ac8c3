/** The operations that need no key: the OpenAPI description and its web page, and the probes for liveness and readiness. */

import { representation } from "../http/conditional.ts";
import { ALLOW_ORIGIN } from "../http/cors.ts";
import type { Operation } from "../http/operation.ts";
import { chain, type MaybePromise } from "../maybe_promise.ts";
import type { Settings } from "../petstore/settings.ts";
import { describeServer } from "./description.ts";
import { OK } from "./drain_gate.ts";
import { INCOMPLETE } from "./errors.ts";
import type { FirstKey } from "./first_key.ts";
import { createDocsOperations } from "./viewer/operations.ts";

/** The inputs of the public operations besides the petstore. */
export interface PublicParts {
  keyLocation: FirstKey["location"];
  /** Whether to serve the description as a web page. */
  hasDocs: boolean;
  /** Whether all workers serve. */
  isComplete: () => boolean;
}

export function createPublicOperations(
  settings: Settings,
  { hasDocs, isComplete, keyLocation }: PublicParts,
): Operation[] {
  const { store } = settings;
  const description = representation(JSON.stringify(describeServer(settings)), "alteration");
  const checkWrites = throttle(() => store.checkWrites?.());
  const check = (query: string) =>
    new URLSearchParams(query).has("writes") ? chain(store.check(), checkWrites) : store.check();
  const ready: Operation["handler"] = ({ query }) => chain(check(query), () => isComplete() ? OK : INCOMPLETE);
  const publicGet = { method: "GET", access: "public" } as const;
  return [
    {
      ...publicGet,
      path: "/openapi.json",
      // Web pages of any origin may read the description, because it contains no secrets.
      fields: { [ALLOW_ORIGIN]: "*" },
      handler: () => description,
    },
    { ...publicGet, path: "/livez", handler: () => OK },
    { ...publicGet, path: "/readyz", handler: ready },
    ...(hasDocs ? createDocsOperations(keyLocation) : []),
  ];
}

/** The shortest time between two checks of writes, in milliseconds. */
const INTERVAL = 1_000;

/** Repeats the last result for a second, because any client may send the request, and each check waits for the disk. */
function throttle(check: () => MaybePromise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  let validUntil = 0;
  return () => {
    if (last && performance.now() < validUntil) return last;
    validUntil = Infinity;
    // Called later, so that an exception becomes a rejection.
    return last = Promise.resolve().then(check).finally(() => validUntil = performance.now() + INTERVAL);
  };
}
