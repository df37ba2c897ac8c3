/** A worker that does on request what a worker should not do. Deno only. */

import "../../../lib/server/deno/worker.ts";

/** What the process can tell one of its workers. */
export interface Order {
  worker: string;
  order: "throw" | "reject" | "exhaust" | "hang" | "exit";
}

export const ORDERS = "petstore-orders";

const worker = crypto.randomUUID();
const channel = new BroadcastChannel(ORDERS);

channel.onmessage = ({ data }: MessageEvent<Partial<Order>>) => {
  if (data.worker !== worker) return;
  if (data.order === "throw") throw new Error("told to throw");
  if (data.order === "reject") Promise.reject(new Error("told to reject"));
  if (data.order === "hang") { for (;;); }
  if (data.order === "exit") Deno.exit(0);
  if (data.order === "exhaust") {
    for (const all: unknown[] = [];;) {
      all.push(Array.from({ length: 100 }, Math.random));
    }
  }
};
channel.postMessage({ worker });
