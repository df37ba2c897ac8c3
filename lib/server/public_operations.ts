/** The operations that need no key: the OpenAPI description and its web page, and the probes for liveness and readiness. */

import { representation } from "../http/conditional.ts";
import { ALLOW_ORIGIN } from "../http/cors.ts";
import type { Operation } from "../http/operation.ts";
import { queryValues } from "../http/query.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { explainFailure } from "../petstore/service.ts";
import type { CheckedOptions } from "../petstore/checked_options.ts";
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
  settings: CheckedOptions,
  { hasDocs, isComplete, keyLocation }: PublicParts,
): Operation[] {
  const { store } = settings;
  const description = representation(JSON.stringify(describeServer(settings)), "alteration");
  const checkReads = share(() => store.check());
  const checkWrites = share(() => store.checkWrites?.());
  const ready: Operation["handler"] = async ({ query }) => {
    await checkReads();
    // A longer query is not that of a probe, and is not read.
    if (query.length < MAX_QUERY && queryValues(query, "writes").length > 0) await checkWrites();
    return isComplete() ? OK : INCOMPLETE;
  };
  const publicGet = { method: "GET", access: "public", effect: "reads" } as const;
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

/** In characters. */
const MAX_QUERY = 1_000;

/** The shortest time between two checks, in milliseconds. */
const INTERVAL = 1_000;

/**
 * Repeats the last result for a second, because any client may send the request, and a check asks the database or waits for the
 * disk. The request that begins a check gets its error, which is reported; the others get the reply to it alone.
 */
function share(check: () => MaybePromise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  let validUntil = 0;
  return () => {
    if (last && performance.now() < validUntil) {
      return last.catch((thrown) => {
        throw explainFailure(thrown);
      });
    }
    validUntil = Infinity;
    // Called later, so that an exception becomes a rejection.
    return last = Promise.resolve().then(check).finally(() => validUntil = performance.now() + INTERVAL);
  };
}
