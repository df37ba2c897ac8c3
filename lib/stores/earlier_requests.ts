/**
 * Before 0.2.0, a remembered request told callers apart by the API key, not by the caller's id. A retry after an
 * upgrade finds it only so.
 */

import type { IdempotentRequest } from "./store.ts";

export const EARLIER_MARK = "by API key";

/** A request to a store that looks up earlier ones. */
export interface MigratedRequest extends IdempotentRequest {
  /** Its key as the earlier release made it. */
  earlierKey?: string;
}

export interface MigratedStore {
  /** Whether there may be such requests. Without them, nothing is looked up in vain. */
  readonly looksUpEarlier?: boolean;
}
