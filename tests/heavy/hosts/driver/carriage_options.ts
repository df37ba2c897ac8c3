/** Responses that are harder to carry than those of the contract. The app's own `handleStoreOrders` sends them. */

import type { PetstoreOptions } from "../../../../mod.ts";

/** The query with which a client asks for one of them. */
export type OrdersKind = "text" | "late" | "odd" | "cookies" | "large" | "endless" | "waiting" | "report";

/** The pieces of `large`, and the length of each. */
export const LARGE_PIECES = 128;
export const PIECE_LENGTH = 16_384;

/** The handler's view of its clients: of `endless` the pieces that were asked for, and of `waiting` its call and signal. */
export interface CarriageReport {
  pulled: number;
  isCancelled: boolean;
  isWaiting: boolean;
  isAborted: boolean;
}

export function createCarriageOptions(): Partial<PetstoreOptions> {
  const report: CarriageReport = { pulled: 0, isCancelled: false, isWaiting: false, isAborted: false };
  const piece = new Uint8Array(PIECE_LENGTH).fill(120);
  const responses: Record<OrdersKind, (request: Request) => Response | Promise<Response>> = {
    text: () => new Response("woof"),
    late: () => new Promise((resolve) => setTimeout(() => resolve(new Response("woof", { status: 202 })), 20)),
    odd: () => new Response("woof", { headers: { "x-odd": "a\x01b" } }),
    cookies() {
      const headers = new Headers();
      headers.append("set-cookie", "a=1; Path=/");
      headers.append("set-cookie", "b=2; Expires=Thu, 01 Jan 2032 00:00:00 GMT");
      return new Response("{}", { headers });
    },
    large: () => new Response(pieces(LARGE_PIECES)),
    endless: () => new Response(pieces(Infinity)),
    waiting: (request) =>
      new Promise((resolve) => {
        report.isWaiting = true;
        request.signal.addEventListener("abort", () => {
          report.isAborted = true;
          resolve(new Response("gone"));
        });
      }),
    report: () => Response.json(report),
  };

  function pieces(count: number): ReadableStream<Uint8Array> {
    let sent = 0;
    return new ReadableStream({
      async pull(controller) {
        // The pause makes the source asynchronous, like every real one.
        await new Promise((resolve) => setTimeout(resolve, 0));
        if (sent++ >= count) return controller.close();
        if (count === Infinity) report.pulled++;
        controller.enqueue(piece.slice());
      },
      cancel() {
        report.isCancelled = true;
      },
    });
  }

  return {
    handleStoreOrders: (request) => responses[new URL(request.url).search.slice(1) as OrdersKind](request),
    // A field to add to each of them.
    requestIds: "all",
  };
}
