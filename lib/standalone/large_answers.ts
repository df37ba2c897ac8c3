/**
 * Answers that are too large to be copied for each client: sent as views of one buffer, piece by piece as the client reads.
 * A client that asks and does not read takes the memory of a stream, whatever the size of what it has asked for.
 */

import type { HeaderFields } from "../http/answer.ts";
import type { Reply } from "../http/dispatch.ts";
import { HttpError } from "../http/errors.ts";

/** Bytes that are handed on at a time; what is no longer is sent at once. */
const PIECE = 65_536;

/** How many may be under way, of all clients together: each takes some 65 kB in Deno, however little of it is sent. */
const MAX_UNDER_WAY = 256;

/** Longer than a client that reads at all takes between two pieces, in milliseconds. */
const PATIENCE = 10_000;

/** The answer to a request that would be one too many. */
export const OVERLOADED = new HttpError(503, "overloaded", "Too many large answers are under way; try again later", {
  "retry-after": "1",
});

/** An answer on its way. */
interface Sending {
  /** When the client last took a piece, in milliseconds since 1970. */
  readAt: number;
  /** Breaks it off. */
  cut(): void;
}

/** Sends large answers, so many at a time. */
export class LargeAnswers {
  /** Those whose client has not read for the longest time come first. */
  readonly #underWay = new Set<Sending>();
  readonly #maxUnderWay: number;
  readonly #patience: number;

  /** @param patience After how many milliseconds without reading a client must make room for another. */
  constructor(maxUnderWay: number = MAX_UNDER_WAY, patience: number = PATIENCE) {
    this.#maxUnderWay = maxUnderWay;
    this.#patience = patience;
  }

  /** The answer of these bytes, which must not change, or a refusal. */
  answer({ method }: Request, bytes: Uint8Array<ArrayBuffer>, headers: HeaderFields): Reply {
    const described = { ...headers, "content-length": String(bytes.length) };
    if (method === "HEAD") return new Response(null, { headers: described });
    if (bytes.length <= PIECE) return new Response(bytes, { headers: described });
    if (!this.#makeRoom()) return OVERLOADED.toAnswer();
    return new Response(this.#send(bytes), { headers: described });
  }

  /** Whether there is room for one more; to make it, a client that has stopped reading is given up. */
  #makeRoom(): boolean {
    if (this.#underWay.size < this.#maxUnderWay) return true;
    const [oldest] = this.#underWay;
    const isStalled = oldest !== undefined && Date.now() - oldest.readAt >= this.#patience;
    if (isStalled) oldest.cut();
    return isStalled;
  }

  #send(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
    const underWay = this.#underWay;
    let offset = 0;
    let sending: Sending;
    return new ReadableStream({
      start: (controller) => {
        const cut = () => {
          underWay.delete(sending);
          // Short of its length, so that its connection ends. An error would be printed, with its trace.
          controller.close();
        };
        underWay.add(sending = { readAt: Date.now(), cut });
      },
      pull: (controller) => {
        underWay.delete(sending);
        controller.enqueue(bytes.subarray(offset, offset += PIECE));
        if (offset >= bytes.length) return controller.close();
        sending.readAt = Date.now();
        underWay.add(sending);
      },
      cancel: () => {
        underWay.delete(sending);
      },
      // Nothing before it is wanted.
    }, { highWaterMark: 0 });
  }
}
