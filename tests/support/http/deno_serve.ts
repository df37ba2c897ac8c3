import type { Handle, Host } from "../api.ts";

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

/** Serves files of this checkout, or of a folder in it, as JSR does. */
export function serveCheckout(folder = ""): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve(LOCAL, async ({ url }) => {
    const { pathname } = new URL(url);
    const type = pathname.endsWith(".json") ? "application/json" : "application/typescript";
    const text = await Deno.readTextFile(new URL(`../../../${folder}${pathname}`, import.meta.url));
    return new Response(text, { headers: { "content-type": type } });
  });
}

/** Sends on a new connection: after a body that was not read to its end, a host may close the connection that was used. */
const ALONE = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
const sendAlone: Handle = (request) => fetch(request, { redirect: "manual", client: ALONE });

export const DENO_SERVE: Host = {
  name: "Deno.serve",
  use: (handle, run) => withDenoServe(handle, (port) => run(`http://127.0.0.1:${port}`, sendAlone)),
};
