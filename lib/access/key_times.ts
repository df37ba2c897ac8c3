/**
 * How old the keys of a store may be, and how often they are read. Each time is in milliseconds,
 * and counts from the beginning of a read.
 */

/**
 * From then on, a request that waits may begin the next read. A flood of wrong keys costs the store
 * one read in this time.
 */
export const MIN_INTERVAL_MS = 50;

/** From then on, a request that uses the known keys begins the next read. */
export const RENEW_AFTER_MS = 500;

/**
 * The keys of a read are used until then, so a change by another program counts within a second. A
 * read that has not ended by then has failed.
 */
export const MAX_AGE_MS = 1_000;

/** The limit of a read while no keys are known. It is long, because no request can be answered before. */
export const FIRST_READ_LIMIT_MS = 10_000;

/**
 * After a read that has failed, no request waits for another one until then. It uses the keys of an
 * earlier read. Each further read that fails begins this time anew.
 */
export const OUTAGE_WITHOUT_WAIT_MS = 10_000;
