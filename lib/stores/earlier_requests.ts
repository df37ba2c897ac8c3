/**
 * Requests that a release before 0.2.0 has remembered. It told callers apart by the API key itself, in place of the caller's id, so
 * a retry that follows an upgrade finds its request only under that key. A migration marks that there are such requests.
 */

import type { MaybePromise } from "../maybe_promise.ts";
import type { IdempotentOutcome, IdempotentRequest } from "./store.ts";

/** The key of a row beside those of the requests. It expires when the last of them has. */
export const EARLIER_MARK = "by API key";

/** Finds a request, given its key as the earlier release made it. */
export type FindEarlier = (
  request: Pick<IdempotentRequest, "key" | "fingerprint">,
) => MaybePromise<IdempotentOutcome | undefined>;

/** A store of the petstore's own, which may have been migrated. */
export interface MigratedStore {
  /** Absent if there are no such requests, so that nothing is looked up in vain. */
  readonly findEarlier?: FindEarlier | undefined;
}
