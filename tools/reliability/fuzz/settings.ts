export const KEY = "pk_fuzz";

/** Small, so that bodies around the limit are cheap. Every valid name fits, however escaped. */
export const MAX_BODY_BYTES = 4096;
