/** The settings of the fuzzed petstore, for the generators and the model. */

export const KEY = "pk_fuzz";

/** Small, so that bodies around the limit are cheap. Every valid name fits, however escaped. */
export const MAX_BODY_BYTES = 4096;

/** Whether requests have an `Idempotency-Key`, which every store must then remember. */
export const HAS_IDEMPOTENCY_KEYS = true;
