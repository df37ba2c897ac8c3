/** What stores share under the name that packages import it by. */

export * from "../../../../lib/stores/toolkit.ts";
