/** The version of this package. A test compares it with deno.json. */
export const VERSION = "0.1.0";
