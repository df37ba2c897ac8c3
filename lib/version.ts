/** The version of this package; a test holds it equal to that of deno.json. */
export const VERSION = "0.1.0";
