/** Before 0.2.0, a remembered request belonged to the API key, not the caller. A retry after an upgrade finds it only so. */

import type { IdempotentRequest, PetStore } from "./store.ts";

export const EARLIER_MARK = "by API key";

export interface MigratedRequest extends IdempotentRequest {
  /** Its key as the earlier release made it. */
  earlierKey?: string;
}

export interface MigratedStore {
  /** Whether there may be such requests. */
  readonly looksUpEarlier?: boolean;
}

/** @param makeKey Makes the key of the earlier release; `undefined` for a request without an API key. */
export async function withEarlierKey(
  store: PetStore,
  request: IdempotentRequest,
  makeKey: () => Promise<string | undefined>,
): Promise<MigratedRequest> {
  const earlierKey = "looksUpEarlier" in store && store.looksUpEarlier ? await makeKey() : undefined;
  return earlierKey === undefined ? request : { ...request, earlierKey };
}
