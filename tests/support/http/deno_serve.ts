import type { Handle } from "../api.ts";

const LOCAL = { port: 0, hostname: "127.0.0.1", onListen: () => {} };

/** Serves while `use` runs. Does not wait for clients that are still connected. */
export async function withDenoServe<T>(
  handle: Handle | (() => Response),
  use: (port: number) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const server = Deno.serve({ ...LOCAL, signal: abort.signal }, handle);
  try {
    return await use(server.addr.port);
  } finally {
    abort.abort();
    await server.finished;
  }
}
