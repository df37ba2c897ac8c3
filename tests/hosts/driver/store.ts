/** The contract of a store under the name that apps import it by. */

export * from "../../../lib/stores/store.ts";
