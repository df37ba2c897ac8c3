/**
 * Streams files that are too large to copy for each client. The pieces are views of one buffer and are sent as fast as
 * the client reads, so a client that does not read occupies the memory of one piece only.
 */

import { Problem } from "../../http/problem.ts";
import type { Reply } from "../../http/reply.ts";

/** The length of a piece in bytes. A body up to this length is sent whole. */
const PIECE = 16_384;

/** How many large responses may be under way, for all clients together. */
const MAX_UNDER_WAY = 256;

/** The time without reading after which a client counts as stalled, in milliseconds. */
const PATIENCE = 10_000;

/** How many more responses may wait for a place, and for how many milliseconds. */
const MAX_WAITING = 1024, WAIT = 1000;

const TOO_MANY_RESPONSES = new Problem(
  503,
  "overloaded",
  "Too many large responses are under way; try again later",
  { "retry-after": "1" },
);

/** A response that is being sent. */
interface Sending {
  /** When the client last read a piece, as in `performance.now()`. */
  readAt: number;
  /** Aborts it. */
  cut(): void;
}

/** Sends large responses, a limited number at a time. */
export class LargeResponses {
  /** Ordered by the time of the last read, oldest first. */
  readonly #underWay = new Set<Sending>();
  /** Callbacks of the responses that wait for a place, in order of arrival. */
  readonly #waiting = new Set<(hasPlace: boolean) => void>();
  readonly #maxUnderWay: number;
  readonly #patience: number;
  readonly #wait: number;

  /**
   * @param patience The time without reading after which a client must make room for another, in milliseconds.
   * @param wait How long a response waits for a place, in milliseconds.
   */
  constructor(maxUnderWay: number = MAX_UNDER_WAY, patience: number = PATIENCE, wait: number = WAIT) {
    this.#maxUnderWay = maxUnderWay;
    this.#patience = patience;
    this.#wait = wait;
  }

  /**
   * The reply with its body as a stream, if the body is large.
   *
   * @returns The reply. Rejects with a {@link Problem} if too many are under way.
   */
  async send(reply: Reply, body: Uint8Array<ArrayBuffer>): Promise<Reply> {
    if (body.length <= PIECE) return { ...reply, body };
    if (!this.#makeRoom() && (this.#waiting.size >= MAX_WAITING || !await this.#place())) throw TOO_MANY_RESPONSES;
    const headers = { ...reply.headers, "content-length": String(body.length) };
    return { status: reply.status, headers, body: this.#stream(body) };
  }

  #place(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (hasPlace: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        resolve(hasPlace);
      };
      const timer = setTimeout(() => settle(this.#makeRoom()), this.#wait);
      this.#waiting.add(settle);
    });
  }

  /** Ends a response, and gives its place to the one that has waited longest. */
  #end(sending: Sending): void {
    if (!this.#underWay.delete(sending)) return;
    const [next] = this.#waiting;
    next?.(true);
  }

  /** Whether there is room for one more response, if necessary by aborting one whose client has stalled. */
  #makeRoom(): boolean {
    if (this.#underWay.size < this.#maxUnderWay) return true;
    const [oldest] = this.#underWay;
    const isStalled = oldest !== undefined && performance.now() - oldest.readAt >= this.#patience;
    if (isStalled) oldest.cut();
    return isStalled;
  }

  #stream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
    const underWay = this.#underWay;
    let offset = 0;
    let sending: Sending;
    return new ReadableStream({
      start: (controller) => {
        const cut = () => {
          // Not #end(): the place belongs to the response that needs it.
          underWay.delete(sending);
          // The body is now shorter than its Content-Length, so the host closes the connection. An error would be logged.
          controller.close();
        };
        underWay.add(sending = { readAt: performance.now(), cut });
      },
      pull: (controller) => {
        controller.enqueue(bytes.subarray(offset, offset += PIECE));
        if (offset >= bytes.length) {
          this.#end(sending);
          return controller.close();
        }
        sending.readAt = performance.now();
        // Moves it to the end of the order.
        underWay.delete(sending);
        underWay.add(sending);
      },
      cancel: () => this.#end(sending),
      // Produces no piece before it is read.
    }, { highWaterMark: 0 });
  }
}
