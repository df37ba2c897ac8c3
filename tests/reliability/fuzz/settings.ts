/** The settings of the fuzzed petstore, for the generators and the model. */

/** The one valid key. */
export const KEY = "pk_fuzz";

/** Small, so that bodies at and beyond the limit are cheap; every name that is allowed fits, however it is escaped. */
export const MAX_BODY_BYTES = 4096;

/** Whether requests have an `Idempotency-Key`. A store that cannot remember them has no place among the others. */
export const HAS_IDEMPOTENCY_KEYS = true;
