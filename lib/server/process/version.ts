/** The version of this package. A test compares it with deno.json, the CHANGELOG and the pages. */
export const VERSION = "0.1.0";
