/** The store on Deno KV under the name that apps import it by. */

export * from "../../../../packages/edge/lib/kv/kv_store.ts";
