/** The version of this package, as its deno.json and package.json say it. */
export const VERSION = "0.1.0";
