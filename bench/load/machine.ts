/** What all processes of the benchmark have in common. */

/** The core of every server. */
export const SERVER_CORE = 0;

/** The core of the load, apart from the servers. */
export const LOAD_CORE = 1;

/** Ends all processes of the benchmark when it is aborted. */
export const STOP = new AbortController();
