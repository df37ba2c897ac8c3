/** The main package under the name that packages import it by. */

export * from "../../../../mod.ts";
