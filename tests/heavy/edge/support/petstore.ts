/**
 * The library under the name that apps import it by. If deno.json named `mod.ts` itself, Deno would
 * install the packages of the root's manifest here too.
 */

export * from "../../../../mod.ts";
