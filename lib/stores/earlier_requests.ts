/**
 * Requests that a release before 0.2.0 has remembered. It told callers apart by the API key itself, in place of the caller's id, so
 * a retry that follows an upgrade finds its request only under that key. A migration marks that there are such requests.
 */

import type { IdempotentRequest } from "./store.ts";

/** The key of a row beside those of the requests. It expires when the last of them has. */
export const EARLIER_MARK = "by API key";

/** A request to a store that looks up earlier ones. */
export interface MigratedRequest extends IdempotentRequest {
  /** Its key as the earlier release made it. */
  earlierKey?: string;
}

/** A store of the petstore's own, which may have been migrated. */
export interface MigratedStore {
  /** Whether there may be such requests. Without them, nothing is looked up in vain. */
  readonly looksUpEarlier?: boolean;
}
