import { connect, createServer } from "node:net";
import { until } from "../until.ts";

/** A free port, for programs that do not take port 0. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

export function untilAccepted(port: number): Promise<void> {
  return until(`a connection to port ${port}`, () =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1").once("error", () => resolve(false)).once("connect", () => {
        socket.destroy();
        resolve(true);
      });
    }));
}
