/** What `cloudflare:workers` gives to a Worker, as far as workers/worker.ts needs it to be checked here. */
export const env: Record<"PETSTORE_KEYS", string> = { PETSTORE_KEYS: "" };
