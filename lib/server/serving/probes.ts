/**
 * The probes, by which a supervisor asks whether the server lives, and a load balancer whether it
 * can answer requests.
 */

import { type Operation, PUBLIC_GET } from "../../http/operation.ts";
import { queryValues, splitQuery } from "../../http/request_text.ts";
import { JSON_FIELDS, type Reply } from "../../http/reply.ts";
import type { MaybePromise } from "../../promises.ts";
import type { PetStore } from "../../stores/store.ts";

/** The gate answers this path too, while there is no service. */
export const LIVENESS_PATH = "/livez";

/** The reply to a successful probe. */
export const PROBE_OK: Reply = { status: 200, headers: JSON_FIELDS, body: '{"status":"ok"}' };

/** A server lives if it answers. It is ready if its store can be read, and for `?writes` also written. */
export function createProbes(store: Pick<PetStore, "check" | "checkWrites">): Operation[] {
  const checkReads = shareResult(() => store.check());
  const checkWrites = shareResult(() => store.checkWrites?.());
  const ready: Operation["handler"] = async ({ query }) => {
    await checkReads();
    if (hasParameter(query, "writes")) await checkWrites();
    return PROBE_OK;
  };
  return [
    { ...PUBLIC_GET, path: LIVENESS_PATH, handler: () => PROBE_OK },
    { ...PUBLIC_GET, path: "/readyz", handler: ready },
  ];
}

/** Whether a query has a parameter, with or without a value. */
export function hasParameter(query: string, name: string): boolean {
  return queryValues(splitQuery(query), name).length > 0;
}

/** How long the result of a check is repeated, in milliseconds. */
const CHECK_LIFETIME = 1_000;

/**
 * Returns a function that checks at most once a second, and repeats the result for the callers in
 * between: any client may send the request, and a check asks the database or waits for the disk.
 */
function shareResult(check: () => MaybePromise<void>): () => Promise<void> {
  /** The latest check, which may be under way. */
  let latest = Promise.resolve();
  /** The time, as in `performance.now()`, until which its result is repeated: no end as long as it is under way. */
  let validUntil = -Infinity;
  return () => {
    if (performance.now() < validUntil) return latest;
    validUntil = Infinity;
    // The check is called within a promise, so that an exception becomes a rejection.
    latest = Promise.resolve().then(check).finally(() => validUntil = performance.now() + CHECK_LIFETIME);
    return latest;
  };
}
