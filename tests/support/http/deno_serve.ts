import type { Handle, Host } from "../api.ts";

/** Serves while `use` runs. Does not wait for clients that are still connected. */
export async function withDenoServe<T>(
  handle: Handle | (() => Response),
  use: (port: number) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: abort.signal };
  const server = Deno.serve(options, handle);
  try {
    return await use(server.addr.port);
  } finally {
    abort.abort();
    await server.finished;
  }
}

export const DENO_SERVE: Host = {
  name: "Deno.serve",
  use: (handle, run) => withDenoServe(handle, (port) => run(`http://127.0.0.1:${port}`, fetch)),
};
