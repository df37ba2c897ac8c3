/** Reads a body that is long or of unknown length piece by piece, up to its limits. */

import { TIMERS_END_WITH_REQUESTS } from "./deadlines.ts";
import { Problem } from "./problem.ts";
import type { BodyReader, RequestContext } from "./context.ts";

/**
 * Up to this `Content-Length`, a body is read whole, which is twice as fast as in pieces. No pet needs more. For a longer
 * one the host would allocate the announced length, even if the bytes never arrive.
 */
export const WHOLE_BODY = 16_384;

/** How many bytes of longer bodies may be in memory at once, for all clients together. */
export const MAX_UNDER_WAY = 64 * 1024 * 1024;

/** The response when other bodies have used up that budget. */
export const OVERLOADED = /* @__PURE__ */ new Problem(
  503,
  "overloaded",
  "Too many large bodies; try again later",
  {
    "retry-after": "1",
  },
);

/**
 * A body may have this many pieces, and one more for each 256 bytes. Otherwise a client that sends a megabyte byte by byte
 * would block the process for a minute.
 */
const MAX_PIECES = 256, BYTES_PER_PIECE = 256;

/**
 * After this many pieces, a body lets others have a turn, because pieces that have already arrived are read without a
 * pause. That is rare, because at each one Deno reads more from the socket, and then moves its whole buffer for each piece.
 */
const FIRST_PIECES = 32, PIECES_A_TURN = 512;

/**
 * The delay, in milliseconds, before the rest of a body that is too long is cancelled. If it is cancelled before the response,
 * Deno reads and discards the rest, which takes half a second of CPU time for tiny chunks. If it is cancelled after, Deno
 * closes the connection. The client needs time to read the response first, because unread bytes turn a close into a reset.
 */
const LEFT_ALONE = 1000;

/** The limits of one body, and the state that it shares with other bodies. */
export interface StreamLimits {
  maxBytes: number;
  /** How many bytes are left for all bodies together. */
  budget: { left: number };
  turn: () => Promise<void>;
}

/** The body of one request. Each piece is copied at once, because it may keep a far larger buffer alive. */
export class BodyStream {
  readonly #reader: BodyReader | undefined;
  readonly #limits: StreamLimits;
  #bytes = new Uint8Array(1024);
  #size = 0;
  #isGivenUp = false;

  constructor(context: RequestContext, limits: StreamLimits) {
    this.#reader = context.openBody();
    this.#limits = limits;
  }

  /** Resolves to the bytes, or to `undefined` if there are too many bytes or pieces. */
  async read(): Promise<Uint8Array | undefined> {
    const { maxBytes, turn } = this.#limits;
    try {
      for (let pieces = 1; this.#reader; pieces++) {
        const { done, value } = await this.#reader.read();
        if (done || value === undefined) break;
        const size = this.#size + value.byteLength;
        if (size > maxBytes || pieces > MAX_PIECES + size / BYTES_PER_PIECE) this.#refuse();
        if (this.#isGivenUp) return undefined;
        this.#add(value);
        if (pieces % PIECES_A_TURN === FIRST_PIECES) await turn();
      }
      return this.#bytes.subarray(0, this.#size);
    } finally {
      this.#giveBack();
    }
  }

  /** Cancels the rest of the body. Does not wait, because a source that ignores it must not delay the response. */
  cancel(): void {
    this.#isGivenUp = true;
    this.#giveBack();
    this.#reader?.cancel().catch(() => {});
  }

  /** Cancels the rest of the body after the response has been sent. */
  #refuse(): void {
    this.#isGivenUp = true;
    if (TIMERS_END_WITH_REQUESTS) this.cancel();
    else setTimeout(() => this.cancel(), LEFT_ALONE);
  }

  #add(piece: Uint8Array): void {
    const { budget, maxBytes } = this.#limits;
    const size = this.#size + piece.byteLength;
    const counted = countedSize(size) - countedSize(this.#size);
    if (counted > budget.left) {
      this.#refuse();
      throw OVERLOADED;
    }
    budget.left -= counted;
    if (size > this.#bytes.byteLength) {
      const larger = new Uint8Array(Math.min(2 * size, maxBytes));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#size);
    this.#size = size;
  }

  #giveBack(): void {
    this.#limits.budget.left += countedSize(this.#size);
    this.#size = 0;
    this.#bytes = NOTHING;
  }
}

/** How much of the budget a body uses. Short bodies use none, so that large ones cannot block them. */
function countedSize(size: number): number {
  return Math.max(size - WHOLE_BODY, 0);
}

const NOTHING = new Uint8Array();
