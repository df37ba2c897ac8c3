/** A port that nobody listens on. */

import { createServer } from "node:net";

/** For programs that take no port 0. Whoever takes this one in between makes their start fail, and not the test pass. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
