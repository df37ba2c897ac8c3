/** A TCP proxy that changes what the server says, and carries out faults at given bytes. */

import { Buffer } from "node:buffer";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

type Side = "client" | "server";

export interface Fault {
  /** The side whose bytes count, on all connections, since the fault before. */
  side: Side;
  /** How many of them pass first. */
  bytes: number;
  /** Only the connection counts on which the client sends this text next, from there on. A client's fault comes within the same chunk. */
  within?: string;
  /** The connection ends, is reset, or this side's next bytes are held for so many milliseconds. */
  effect: "end" | "reset" | number;
}

export interface Proxy {
  port: number;
  /** How many connections it has accepted so far. */
  readonly accepted: number;
  /** How many faults it has carried out. */
  readonly faults: number;
  /** Carries out these faults in their order, and none of those that are left. */
  follow(faults: readonly Fault[]): void;
  /** Whether each new connection makes a second one to the server, which sends the same first bytes, as if it were tried twice. */
  isDoubling: boolean;
  /** Puts another text of the server in the place of one. */
  replace(from: string, to: string): void;
  /** How many connections to the server are open. */
  readonly open: number;
  /** How many connections hold bytes. */
  readonly holds: number;
}

/** The faults that are left, and how far the first one is. */
class Schedule {
  done = 0;
  #faults: Fault[] = [];
  #counted = 0;
  #connection: Socket | undefined;

  set(faults: readonly Fault[]): void {
    this.#faults = [...faults];
    this.#counted = 0;
    this.#connection = undefined;
  }

  /** The fault that comes within a chunk, and where in it. */
  take(side: Side, connection: Socket, chunk: Buffer): { effect: Fault["effect"]; at: number } | undefined {
    const [fault] = this.#faults;
    if (!fault) return undefined;
    const { within, effect } = fault;
    if (within !== undefined && this.#connection !== connection) {
      if (side !== "client" || !chunk.includes(within)) return undefined;
      this.#connection = connection;
    }
    if (side !== fault.side) return undefined;
    const left = fault.bytes - this.#counted;
    this.#counted += chunk.length;
    const isAtEnd = within !== undefined && side === "client";
    if (left >= chunk.length && !isAtEnd) return undefined;
    this.set(this.#faults.slice(1));
    this.done++;
    return { effect, at: Math.min(left, chunk.length) };
  }
}

/** Forwards connections to a port of this machine, until `use` is done. */
export async function withProxy<T>(target: number, use: (proxy: Proxy) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  const schedule = new Schedule();
  let accepted = 0, holds = 0;
  let change: readonly [from: string, to: string] = ["", ""];

  function open(socket: Socket): Socket {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => void sockets.delete(socket));
    return socket;
  }

  function connectSides(near: Socket, far: Socket): void {
    const pass = (from: Socket, to: Socket, side: Side) => {
      const forward = (chunk: Buffer): void => {
        const fault = schedule.take(side, near, chunk);
        if (!fault) return void to.write(chunk);
        const { effect, at } = fault;
        const before = chunk.subarray(0, at);
        if (effect === "end") {
          from.destroy();
          to.end(before);
        } else if (effect === "reset") {
          to.write(before);
          for (const socket of [near, far]) socket.resetAndDestroy();
        } else {
          if (at > 0) to.write(before);
          hold(from, effect, () => at < chunk.length && forward(chunk.subarray(at)));
        }
      };
      from.on("data", (chunk: Buffer) => forward(side === "server" ? replaceIn(chunk, change) : chunk));
      from.on("close", () => to.end());
    };
    pass(near, far, "client");
    pass(far, near, "server");
  }

  function hold(from: Socket, milliseconds: number, goOn: () => void): void {
    from.pause();
    holds++;
    setTimeout(() => {
      holds--;
      goOn();
      from.resume();
    }, milliseconds);
  }

  const proxy: Proxy = {
    port: 0,
    isDoubling: false,
    get accepted() {
      return accepted;
    },
    get faults() {
      return schedule.done;
    },
    follow: (faults) => schedule.set(faults),
    replace: (...texts) => void (change = texts),
    get open() {
      return [...sockets].filter(({ remotePort }) => remotePort === target).length;
    },
    get holds() {
      return holds;
    },
  };
  const server = createServer((near) => {
    accepted++;
    connectSides(open(near), open(connect(target, "127.0.0.1")));
    if (!proxy.isDoubling) return;
    const copy = open(connect(target, "127.0.0.1")).resume();
    near.once("data", (chunk) => copy.write(chunk)).on("close", () => copy.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy.port = (server.address() as AddressInfo).port;
  try {
    return await use(proxy);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

function replaceIn(chunk: Buffer, change: readonly [from: string, to: string]): Buffer {
  return change[0] === "" ? chunk : Buffer.from(chunk.toString("latin1").replace(...change), "latin1");
}
