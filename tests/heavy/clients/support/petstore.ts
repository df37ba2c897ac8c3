/** The house under the name that packages import it by. */

export * from "../../../../mod.ts";
