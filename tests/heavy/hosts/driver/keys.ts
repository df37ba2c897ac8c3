/** The key manager under the name that packages import it by. */

export * from "../../../../lib/access/key_management.ts";
