/**
 * Answers that are too large to be copied for each client: sent piece by piece as the client reads, as views of one
 * buffer. A client that asks and does not read takes the memory of one piece, whatever the size of what it has asked for.
 */

import type { Answer, HeaderFields } from "./answer.ts";
import { conditionalAnswer } from "./conditional.ts";
import type { Reply } from "./dispatch.ts";
import { HttpError } from "./errors.ts";
import type { Pending } from "../pending.ts";

/** Bytes that are handed on at a time, and characters up to which a text is sent at once. */
const PIECE = 16_384;

/** How many may be under way, of all clients together. */
const MAX_UNDER_WAY = 256;

/** Longer than a client that reads at all takes between two pieces, in milliseconds. */
const PATIENCE = 10_000;

/** How many more may wait for a place, and for how many milliseconds: to clients that read, the places are soon free. */
const MAX_WAITING = 1024, WAIT = 1000;

/** The answer to a request that would be one too many. */
export const TOO_MANY_ANSWERS: HttpError = new HttpError(
  "overloaded",
  "Too many large answers are under way; try again later",
  {
    "retry-after": "1",
  },
);

/** An answer on its way. */
interface Sending {
  /** When the client last took a piece, as performance.now() tells the time. */
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
  /** Those who wait for a place, in order of arrival; each is told whether it has one. */
  readonly #waiting = new Set<(hasPlace: boolean) => void>();
  readonly #maxUnderWay: number;
  readonly #patience: number;
  readonly #wait: number;

  /**
   * @param patience After how many milliseconds without reading a client must make room for another.
   * @param wait For how many milliseconds an answer waits for a place.
   */
  constructor(maxUnderWay: number = MAX_UNDER_WAY, patience: number = PATIENCE, wait: number = WAIT) {
    this.#maxUnderWay = maxUnderWay;
    this.#patience = patience;
    this.#wait = wait;
  }

  /** The reply as it can be sent: as it is, if it is small or has no body to be sent; in pieces; or a refusal. */
  fit(reply: Reply, request: Request): Pending<Reply> {
    if (reply instanceof Response || reply.status !== 200 || reply.body === null) return reply;
    if (reply.body.length <= PIECE || request.method === "HEAD" || conditionalAnswer(reply, request) !== reply) {
      return reply;
    }
    let bytes = this.#encoded.get(reply);
    if (!bytes) this.#encoded.set(reply, bytes = new TextEncoder().encode(reply.body));
    return this.send(request, bytes, reply.headers);
  }

  /** The answer of these bytes, which must not change, with status 200; at once, if they are few; or a refusal. */
  send({ method }: Request, bytes: Uint8Array<ArrayBuffer>, headers: HeaderFields): Pending<Reply> {
    const described = { ...headers, "content-length": String(bytes.length) };
    if (method === "HEAD") return new Response(null, { headers: described });
    if (bytes.length <= PIECE) return new Response(bytes, { headers: described });
    const begin = () => new Response(this.#stream(bytes), { headers: described });
    if (this.#makeRoom()) return begin();
    if (this.#waiting.size >= MAX_WAITING) return TOO_MANY_ANSWERS.toAnswer();
    return this.#place().then((hasPlace) => hasPlace ? begin() : TOO_MANY_ANSWERS.toAnswer());
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

  /** Gives the place of an answer that has ended to the one that has waited for the longest time. */
  #end(sending: Sending): void {
    if (!this.#underWay.delete(sending)) return;
    const [next] = this.#waiting;
    next?.(true);
  }

  /** Whether there is room for one more; to make it, a client that has stopped reading is given up. */
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
          // Its place is for whoever has it cut.
          underWay.delete(sending);
          // Short of its length, so that its connection ends, and short of its JSON. Hosts print an error with its trace.
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
        // To the end of the line.
        underWay.delete(sending);
        underWay.add(sending);
      },
      cancel: () => this.#end(sending),
      // Nothing before it is wanted.
    }, { highWaterMark: 0 });
  }
}
