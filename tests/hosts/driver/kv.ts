/** The store on Deno KV under the name that apps import it by. */

export * from "../../../lib/stores/kv/kv_store.ts";
