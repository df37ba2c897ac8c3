/** A TCP proxy that changes what the server says, and carries out faults at given bytes. */

import { Buffer } from "node:buffer";
import { connect, createServer, type Socket } from "node:net";
import { withListening } from "../http/listening.ts";

export interface Fault {
  /** The side whose bytes count, on all connections, since the fault before. */
  side: "client" | "server";
  /** How many of them pass first. */
  bytes: number;
  /**
   * Only the connection counts on which the client sends this text next, from there on. A client's
   * fault comes within the same chunk.
   */
  within?: string | undefined;
  /** The connection ends, is reset, or this side's next bytes are held for so many milliseconds. */
  effect: "end" | "reset" | number;
}

/** Forwards connections to a port of this machine, until `use` is done. */
export function withProxy<T>(target: number, use: (proxy: Proxy) => Promise<T>): Promise<T> {
  const proxy = new Proxy(target);
  return withListening(createServer((client) => proxy.accept(client)), async (port) => {
    proxy.port = port;
    try {
      return await use(proxy);
    } finally {
      proxy.destroy();
    }
  });
}

export class Proxy {
  port = 0;
  /** How many faults it has carried out. */
  faults = 0;
  /** How many connections hold bytes. */
  holds = 0;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  /** The faults that are left. */
  #left: readonly Fault[] = [];
  /** How many bytes have passed that count for the first fault. */
  #counted = 0;
  /** The client that has sent the text within which the first fault comes. */
  #sender: Socket | undefined;
  #replaced: [from: string, to: string] = ["", ""];

  constructor(target: number) {
    this.#target = target;
  }

  /** Carries out these faults in their order, and none of those that are left. */
  follow(faults: readonly Fault[]): void {
    this.#left = faults;
    this.#counted = 0;
    this.#sender = undefined;
  }

  /** Puts another text of the server in the place of one. */
  replace(...texts: [from: string, to: string]): void {
    this.#replaced = texts;
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  accept(client: Socket): void {
    const server = connect(this.#target, "127.0.0.1");
    this.#forward("client", client, server);
    this.#forward("server", server, client);
  }

  #forward(side: Fault["side"], from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on("error", () => {});
    from.on("close", () => {
      this.#sockets.delete(from);
      to.end();
    });
    from.on("data", (chunk: Buffer) => this.#pass(side, from, to, side === "server" ? this.#change(chunk) : chunk));
  }

  async #pass(side: Fault["side"], from: Socket, to: Socket, chunk: Buffer): Promise<void> {
    const fault = this.#takeFault(side, side === "client" ? from : to, chunk);
    to.write(chunk.subarray(0, fault?.at));
    if (!fault) return;
    if (fault.effect === "end") {
      from.destroy();
      to.end();
    } else if (fault.effect === "reset") {
      from.resetAndDestroy();
      to.resetAndDestroy();
    } else {
      from.pause();
      this.holds++;
      await new Promise((resolve) => setTimeout(resolve, fault.effect as number));
      this.holds--;
      await this.#pass(side, from, to, chunk.subarray(fault.at));
      from.resume();
    }
  }

  /** The fault that comes within a chunk, and where in it. */
  #takeFault(side: Fault["side"], client: Socket, chunk: Buffer): { effect: Fault["effect"]; at: number } | undefined {
    const [fault] = this.#left;
    if (!fault) return undefined;
    const { within, effect } = fault;
    if (within !== undefined && this.#sender !== client) {
      if (side !== "client" || !chunk.includes(within)) return undefined;
      this.#sender = client;
    }
    if (side !== fault.side) return undefined;
    const left = fault.bytes - this.#counted;
    this.#counted += chunk.length;
    const isAtEnd = within !== undefined && side === "client";
    if (left >= chunk.length && !isAtEnd) return undefined;
    this.follow(this.#left.slice(1));
    this.faults++;
    return { effect, at: Math.min(left, chunk.length) };
  }

  #change(chunk: Buffer): Buffer {
    const [from, to] = this.#replaced;
    return from === "" ? chunk : Buffer.from(chunk.toString("latin1").replace(from, to), "latin1");
  }
}
