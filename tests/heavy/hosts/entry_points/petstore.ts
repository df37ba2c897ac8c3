/** The library under the name that apps import it by. */

export * from "../../../../mod.ts";
