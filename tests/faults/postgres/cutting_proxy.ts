/** A TCP proxy that cuts a connection after a number of bytes of the server, or changes what the server says. */

import { Buffer } from "node:buffer";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CuttingProxy {
  port: number;
  /** Passes so many bytes more, and then ends the connection whose byte would be next. Undefined cuts no more. */
  cutAfter(bytes: number | undefined): void;
  /** Puts another text in the place of one. */
  replace(from: string, to: string): void;
  /** How many connections were cut. */
  readonly cuts: number;
  /** How many it has accepted. */
  readonly accepted: number;
}

/** Forwards connections to a port of this machine, until `use` is done. */
export async function withCuttingProxy<T>(target: number, use: (proxy: CuttingProxy) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  let left: number | undefined, cuts = 0, accepted = 0;
  let change: readonly [from: string, to: string] = ["", ""];
  const server = createServer((near) => {
    accepted++;
    const far = connect(target, "127.0.0.1");
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.on("data", (bytes) => void far.write(bytes));
    far.on("data", (received) => {
      const bytes = Buffer.from(received.toString("latin1").replace(...change), "latin1");
      if (left === undefined || bytes.length <= left) {
        if (left !== undefined) left -= bytes.length;
        return void near.write(bytes);
      }
      far.destroy();
      near.end(bytes.subarray(0, left));
      left = undefined;
      cuts++;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use({
      port: (server.address() as AddressInfo).port,
      replace: (...texts) => void (change = texts),
      cutAfter: (bytes) => void (left = bytes),
      get accepted() {
        return accepted;
      },
      get cuts() {
        return cuts;
      },
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}
