/**
 * Streams files that are too large to copy for each client. The chunks are views of one buffer and are sent as fast as
 * the client reads, so a client that does not read occupies the memory of one chunk only.
 */

import { Problem } from "../../http/problem.ts";
import type { Reply } from "../../http/reply.ts";

/** The length of a chunk in bytes. A body up to this length is sent whole. */
const CHUNK_SIZE = 16_384;

/** How many large responses may be sent at the same time, to all clients together. */
const MAX_ACTIVE = 256;

/** The time without reading after which a client counts as stalled, in milliseconds. */
const STALL_TIMEOUT = 10_000;

/** How many more responses may wait for a slot, and for how many milliseconds. */
const MAX_WAITING = 1024, WAIT_TIMEOUT = 1000;

const TOO_MANY_RESPONSES = new Problem(
  503,
  "overloaded",
  "Too many large responses are under way; try again later",
  { "retry-after": "1" },
);

/** A response that is being sent. */
interface ActiveResponse {
  /** When the client last read a chunk, as in `performance.now()`. */
  lastReadAt: number;
  abort(): void;
}

/** Sends large responses, a limited number at a time. */
export class LargeResponses {
  /** Ordered by the time of the last read, oldest first. */
  readonly #active = new Set<ActiveResponse>();
  /** Callbacks of the responses that wait for a slot, in order of arrival. */
  readonly #waiting = new Set<(hasSlot: boolean) => void>();
  readonly #maxActive: number;
  readonly #stallTimeoutMs: number;
  readonly #waitTimeoutMs: number;

  /**
   * @param stallTimeoutMs The time without reading after which a response may be aborted for another.
   * @param waitTimeoutMs How long a response waits for a slot.
   */
  constructor(
    maxActive: number = MAX_ACTIVE,
    stallTimeoutMs: number = STALL_TIMEOUT,
    waitTimeoutMs: number = WAIT_TIMEOUT,
  ) {
    this.#maxActive = maxActive;
    this.#stallTimeoutMs = stallTimeoutMs;
    this.#waitTimeoutMs = waitTimeoutMs;
  }

  /**
   * The reply with its body as a stream, if the body is large.
   *
   * @returns The reply. Rejects with a {@link Problem} if too many responses are being sent.
   */
  async send(reply: Reply, body: Uint8Array<ArrayBuffer>): Promise<Reply> {
    if (body.length <= CHUNK_SIZE) return { ...reply, body };
    if (!this.#findSlot() && (this.#waiting.size >= MAX_WAITING || !await this.#waitForSlot())) {
      throw TOO_MANY_RESPONSES;
    }
    const headers = { ...reply.headers, "content-length": String(body.length) };
    return { status: reply.status, headers, body: this.#stream(body) };
  }

  #waitForSlot(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (hasSlot: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        resolve(hasSlot);
      };
      const timer = setTimeout(() => settle(this.#findSlot()), this.#waitTimeoutMs);
      this.#waiting.add(settle);
    });
  }

  /** Ends a response, and gives its slot to the one that has waited longest. */
  #end(response: ActiveResponse): void {
    if (!this.#active.delete(response)) return;
    const [next] = this.#waiting;
    next?.(true);
  }

  /** Whether a slot is free. If necessary, aborts a response whose client has stalled. */
  #findSlot(): boolean {
    if (this.#active.size < this.#maxActive) return true;
    const [oldest] = this.#active;
    const isStalled = oldest !== undefined && performance.now() - oldest.lastReadAt >= this.#stallTimeoutMs;
    if (isStalled) oldest.abort();
    return isStalled;
  }

  #stream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
    const active = this.#active;
    let offset = 0;
    let response: ActiveResponse;
    return new ReadableStream({
      start: (controller) => {
        const abort = () => {
          // Not #end(): the slot belongs to the response that needs it.
          active.delete(response);
          // The body is now shorter than its Content-Length, so the host closes the connection. An error would be logged.
          controller.close();
        };
        active.add(response = { lastReadAt: performance.now(), abort });
      },
      pull: (controller) => {
        controller.enqueue(bytes.subarray(offset, offset += CHUNK_SIZE));
        if (offset >= bytes.length) {
          this.#end(response);
          return controller.close();
        }
        response.lastReadAt = performance.now();
        // Moves it to the end of the order.
        active.delete(response);
        active.add(response);
      },
      cancel: () => this.#end(response),
      // Produces no chunk before it is read.
    }, { highWaterMark: 0 });
  }
}
