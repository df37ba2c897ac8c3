/**
 * Answers that are too large to be copied for each client. They are sent piece by piece as the client reads, as views of one
 * buffer, so a client that asks and does not read takes the memory of one piece.
 */

import type { Pending } from "../pending.ts";
import type { Answer } from "./answer.ts";
import { HttpError } from "./errors.ts";

/** Bytes of a piece, and the length up to which a body is sent at once. */
const PIECE = 16_384;

/** How many may be under way, of all clients together. */
const MAX_UNDER_WAY = 256;

/** Longer than a reading client takes between two pieces, in milliseconds. */
const PATIENCE = 10_000;

/** How many more may wait for a place, and for how many milliseconds. Clients that read soon free theirs. */
const MAX_WAITING = 1024, WAIT = 1000;

/** The answer to one request too many. */
export const TOO_MANY_ANSWERS: HttpError = new HttpError(
  "overloaded",
  "Too many large answers are under way; try again later",
  { "retry-after": "1" },
);

/** An answer on its way. */
interface Sending {
  /** When the client last took a piece, on the clock of `performance.now()`. */
  readAt: number;
  /** Breaks it off. */
  cut(): void;
}

/** Sends large answers, a limited number at a time. */
export class LargeAnswers {
  /** The ones whose clients have not read for the longest time come first. */
  readonly #underWay = new Set<Sending>();
  /** The bytes of answers that are kept and sent again. */
  readonly #encoded = new WeakMap<Answer, Uint8Array<ArrayBuffer>>();
  /** The answers that wait for a place, in order of arrival; each is told whether it gets one. */
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

  /** The answer in a form that can be sent: a small one as it is, a large one in pieces, or a refusal. */
  fit(answer: Answer): Pending<Answer> {
    const { body } = answer;
    const isData = typeof body === "string" || body instanceof Uint8Array;
    if (!isData || body.length <= PIECE) return answer;
    let bytes = typeof body === "string" ? this.#encoded.get(answer) : body;
    if (!bytes) this.#encoded.set(answer, bytes = new TextEncoder().encode(body as string));
    const headers = { ...answer.headers, "content-length": String(bytes.length) };
    const begin = () => ({ status: answer.status, headers, body: this.#stream(bytes) });
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

  /** Whether there is room for one more. A client that has stopped reading must make room. */
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
          // Its place belongs to the answer that needed the room.
          underWay.delete(sending);
          // Short of its Content-Length, so the host ends the connection. An error would be printed with its trace.
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
        // To the end of the queue.
        underWay.delete(sending);
        underWay.add(sending);
      },
      cancel: () => this.#end(sending),
      // No piece before it is asked for.
    }, { highWaterMark: 0 });
  }
}
