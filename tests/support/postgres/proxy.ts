/** A TCP proxy that falls silent like a network, cuts a connection after a number of bytes, or changes what the server says. */

import { Buffer } from "node:buffer";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Proxy {
  port: number;
  /** How many connections it has accepted so far. */
  readonly accepted: number;
  /** How many connections were cut. */
  readonly cuts: number;
  /** Silences open connections: they stay open, and nothing passes. New ones work. */
  silenceOpen(): void;
  /** Silences new connections. */
  silenceNew(): void;
  speak(): void;
  /** Passes so many bytes of the server more, and then ends the connection whose byte would be next. */
  cutAfter(bytes: number): void;
  /** Puts another text of the server in the place of one. */
  replace(from: string, to: string): void;
}

/** Forwards connections to a port of this machine, until `use` is done. */
export async function withProxy<T>(target: number, use: (proxy: Proxy) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  let left = Infinity, cuts = 0, accepted = 0, isSilent = false;
  let change: readonly [from: string, to: string] = ["", ""];
  const server = createServer((near) => {
    accepted++;
    const far = connect(target, "127.0.0.1");
    near.on("data", (bytes) => void far.write(bytes));
    far.on("data", (received) => {
      const bytes = Buffer.from(received.toString("latin1").replace(...change), "latin1");
      left -= bytes.length;
      if (left >= 0) return void near.write(bytes);
      far.destroy();
      near.end(bytes.subarray(0, left));
      left = Infinity;
      cuts++;
    });
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      if (isSilent) socket.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use({
      port: (server.address() as AddressInfo).port,
      get accepted() {
        return accepted;
      },
      get cuts() {
        return cuts;
      },
      // What is sent stays in the buffers: the sender gets no error and no response.
      silenceOpen: () => sockets.forEach((socket) => socket.pause()),
      silenceNew: () => void (isSilent = true),
      speak() {
        isSilent = false;
        sockets.forEach((socket) => socket.resume());
      },
      cutAfter: (bytes) => void (left = bytes),
      replace: (...texts) => void (change = texts),
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}
