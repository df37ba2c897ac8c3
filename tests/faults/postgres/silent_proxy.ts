/** A TCP proxy that can fall silent like a network: connections stay open, and nothing passes. */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SilentProxy {
  port: number;
  /** How many connections it has accepted so far. */
  readonly accepted: number;
  /** Silences open connections; new ones work. */
  silenceOpen(): void;
  /** Silences new connections. */
  silenceNew(): void;
  speak(): void;
}

/** Forwards connections to a port of this machine, until `use` is done. */
export async function withSilentProxy<T>(target: number, use: (proxy: SilentProxy) => Promise<T>): Promise<T> {
  const pairs = new Set<[Socket, Socket]>();
  let isSilent = false, accepted = 0;
  const server = createServer((near) => {
    accepted++;
    const pair: [Socket, Socket] = [near, connect(target, "127.0.0.1")];
    pairs.add(pair);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => {
        pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
    if (!isSilent) join(pair);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use({
      port: (server.address() as AddressInfo).port,
      get accepted() {
        return accepted;
      },
      silenceOpen: () => pairs.forEach(part),
      silenceNew: () => void (isSilent = true),
      speak() {
        isSilent = false;
        pairs.forEach(join);
      },
    });
  } finally {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    server.close();
  }
}

function join([near, far]: [Socket, Socket]): void {
  part([near, far]);
  near.pipe(far);
  far.pipe(near);
}

/** Data stays in the buffers: the sender gets no error and no response. */
function part([near, far]: [Socket, Socket]): void {
  near.unpipe(far).pause();
  far.unpipe(near).pause();
}
