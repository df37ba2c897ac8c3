/** The client under the name that apps import it by. */

export * from "../../../lib/client/client.ts";
