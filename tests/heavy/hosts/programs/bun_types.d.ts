/**
 * The part of Bun's types that the programs use. All of them would change the types of Deno and of
 * Node in the whole check.
 */

declare namespace Bun {
  type Handler = (request: Request) => Response | Promise<Response>;

  function serve(options: {
    port: number;
    idleTimeout: number;
    routes: Record<string, Handler>;
    fetch: Handler;
  }): { url: URL };
}
