/** The contract of a store under the name that packages import it by. */

export * from "../../../../lib/stores/store.ts";
