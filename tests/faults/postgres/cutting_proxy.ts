/** A TCP proxy that cuts a connection after a number of bytes of the server. */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CuttingProxy {
  port: number;
  /** Passes so many bytes more, and then ends the connection whose byte would be next. Undefined cuts no more. */
  cutAfter(bytes: number | undefined): void;
  /** How many connections were cut. */
  readonly cuts: number;
}

/** Forwards connections to a port of this machine, until `use` is done. */
export async function withCuttingProxy<T>(target: number, use: (proxy: CuttingProxy) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  let left: number | undefined, cuts = 0;
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.on("data", (bytes) => void far.write(bytes));
    far.on("data", (bytes) => {
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
      cutAfter: (bytes) => void (left = bytes),
      get cuts() {
        return cuts;
      },
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}
