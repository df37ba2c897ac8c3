/**
 * Before 0.2.0, a remembered request told callers apart by the API key, not by the caller's id. A retry after an
 * upgrade finds it only so.
 */

import type { MaybePromise } from "../maybe_promise.ts";
import type { IdempotentOutcome, IdempotentRequest } from "./store.ts";

export const EARLIER_MARK = "by API key";

/** Finds a request by its key of the earlier release. */
export type FindEarlier = (
  request: Pick<IdempotentRequest, "key" | "fingerprint">,
) => MaybePromise<IdempotentOutcome | undefined>;

export interface MigratedStore {
  /** Absent if there are no such requests. */
  readonly findEarlier?: FindEarlier | undefined;
}
