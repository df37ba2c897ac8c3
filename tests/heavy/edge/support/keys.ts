/** The key manager under the name that packages import it by. */

export * from "../../../../lib/access/create_key_manager.ts";
