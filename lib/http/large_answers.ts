/**
 * Answers that are too large to be copied for each client: sent piece by piece as the client reads, as views of one
 * buffer. A client that asks and does not read takes the memory of one piece, whatever the size of what it has asked for.
 */

import type { Answer, HeaderFields } from "./answer.ts";
import { conditionalAnswer } from "./conditional.ts";
import type { Reply } from "./dispatch.ts";
import { HttpError } from "./errors.ts";

/** Bytes that are handed on at a time, and characters up to which a text is sent at once. */
const PIECE = 16_384;

/** How many may be under way, of all clients together. */
const MAX_UNDER_WAY = 256;

/** Longer than a client that reads at all takes between two pieces, in milliseconds. */
const PATIENCE = 10_000;

/** The answer to a request that would be one too many. */
const TOO_MANY_ANSWERS = new HttpError(
  503,
  "overloaded",
  "Too many large answers are under way; try again later",
  { "retry-after": "1" },
);

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
  /** The bytes of answers that are kept and sent again. */
  readonly #encoded = new WeakMap<Answer, Uint8Array<ArrayBuffer>>();
  readonly #maxUnderWay: number;
  readonly #patience: number;

  /** @param patience After how many milliseconds without reading a client must make room for another. */
  constructor(maxUnderWay: number = MAX_UNDER_WAY, patience: number = PATIENCE) {
    this.#maxUnderWay = maxUnderWay;
    this.#patience = patience;
  }

  /** The reply as it can be sent: as it is, if it is small or has no body to be sent; in pieces; or a refusal. */
  fit(reply: Reply, request: Request): Reply {
    if (reply instanceof Response || reply.status !== 200 || reply.body === null) return reply;
    if (reply.body.length <= PIECE || request.method === "HEAD" || conditionalAnswer(reply, request) !== reply) {
      return reply;
    }
    let bytes = this.#encoded.get(reply);
    if (!bytes) this.#encoded.set(reply, bytes = new TextEncoder().encode(reply.body));
    return this.send(request, bytes, reply.headers);
  }

  /** The answer of these bytes, which must not change, with status 200; at once, if they are few; or a refusal. */
  send({ method }: Request, bytes: Uint8Array<ArrayBuffer>, headers: HeaderFields): Reply {
    const described = { ...headers, "content-length": String(bytes.length) };
    if (method === "HEAD") return new Response(null, { headers: described });
    if (bytes.length <= PIECE) return new Response(bytes, { headers: described });
    if (!this.#makeRoom()) return TOO_MANY_ANSWERS.toAnswer();
    return new Response(this.#stream(bytes), { headers: described });
  }

  /** Whether there is room for one more; to make it, a client that has stopped reading is given up. */
  #makeRoom(): boolean {
    if (this.#underWay.size < this.#maxUnderWay) return true;
    const [oldest] = this.#underWay;
    const isStalled = oldest !== undefined && Date.now() - oldest.readAt >= this.#patience;
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
          underWay.delete(sending);
          // Short of its length, so that its connection ends, and short of its JSON. Hosts print an error with its trace.
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
