/** The stores on Cloudflare under the name that apps import them by. */

export * from "../../../lib/stores/d1/d1_store.ts";
