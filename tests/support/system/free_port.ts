import { connect, createServer } from "node:net";
import { until } from "../until.ts";

/** A free port, for programs that do not take port 0. */
export function freePort(): Promise<number> {
  return listenOnce(0);
}

/** Listens at a port for a moment, and returns its number. */
function listenOnce(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject).listen(wanted, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** The first of three free ports in a row. Systems give none of these to a program that asks for port 0. */
export async function threeFreePorts(): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const tried = await Promise.allSettled([first, first + 1, first + 2].map(listenOnce));
    if (tried.every(({ status }) => status === "fulfilled")) return first;
  }
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
