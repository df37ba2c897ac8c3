/** A free port, for programs that do not take port 0. Deno only. */
export function freePort(): Promise<number> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return Promise.resolve(listener.addr.port);
}
