/** The runtimes whose behaviour the library has to know. Each is recognized once, when this file is loaded. */

/** Whether the program runs on Bun. */
export const ON_BUN: boolean = "Bun" in globalThis;

/** Whether the program runs on Deno. */
export const ON_DENO: boolean = "Deno" in globalThis;

/**
 * Whether this is Cloudflare Workers, where a timer ends with the request that has set it, and so
 * cannot serve other requests.
 */
export const IN_WORKERS: boolean = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** Whether the program runs on Node. The others have its global `process` too. */
export const ON_NODE: boolean = "process" in globalThis && !ON_BUN && !ON_DENO && !IN_WORKERS;
