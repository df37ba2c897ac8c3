/** The stores on Cloudflare under the name that apps import them by. */

export * from "../../../../packages/edge/lib/d1/d1_store.ts";
