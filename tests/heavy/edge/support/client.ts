/** The client under the name that apps import it by. */

export * from "../../../../packages/client/mod.ts";
