/** The part of `cloudflare:workers` that workers/worker.ts needs for its type check. */
export const env: Record<"PETSTORE_KEYS", string> = { PETSTORE_KEYS: "" };
