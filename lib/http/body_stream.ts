/** A body that is long or of unknown length, read in pieces up to its limits. */

import { TIMERS_END_WITH_REQUESTS } from "./deadlines.ts";
import { HttpError } from "./errors.ts";
import type { BodyReader, Exchange } from "./exchange.ts";
import type { Turns } from "./turns.ts";

/**
 * Up to this many announced bytes, a body is read whole, which is twice as fast as in pieces. No pet needs more. For a
 * longer one the host would allocate what is announced, even if it never arrives.
 */
export const WHOLE_BODY = 16_384;

/** Bytes of longer bodies that may be under way at once, of all clients together. */
export const MAX_UNDER_WAY = 64 * 1024 * 1024;

/** The answer to a body for which the others leave no room. */
export const OVERLOADED = new HttpError("overloaded", "Too many large request bodies are under way; try again later", {
  "retry-after": "1",
});

/**
 * A body may come in this many pieces, and one more for each 256 bytes. A client that sends a megabyte byte by byte would
 * otherwise stop the whole process for a minute.
 */
const MAX_PIECES = 256, BYTES_PER_PIECE = 256;

/**
 * After so many pieces a body waits for its turn, because pieces that are here already are read without a break. Not more
 * often: at each turn Deno takes more off the socket, and moves all that it holds for each piece.
 */
const FIRST_PIECES = 32, PIECES_A_TURN = 512;

/**
 * How long, in milliseconds, the rest of a body that is too long stays unread before it is cancelled. Cancelled before the
 * answer, Deno reads the rest to discard it, which for tiny chunks takes half a second of processor time. Cancelled after
 * it, Deno closes the connection, and the client needs time to read the answer: unread bytes turn a close into a reset.
 */
const LEFT_ALONE = 1000;

/** The limits of one body, and what it shares with the others. */
export interface StreamLimits {
  maxBytes: number;
  /** Bytes that are still free. */
  budget: { left: number };
  turns: Turns;
}

/** The body of one request. Its pieces are copied as they come, since each may keep a far larger buffer alive. */
export class BodyStream {
  readonly #reader: BodyReader | undefined;
  readonly #limits: StreamLimits;
  #bytes = new Uint8Array(1024);
  #size = 0;
  #isGivenUp = false;

  constructor(exchange: Exchange, limits: StreamLimits) {
    this.#reader = exchange.openBody();
    this.#limits = limits;
  }

  /** The bytes, or `undefined` if there are too many of them, or too many pieces. */
  async read(): Promise<Uint8Array | undefined> {
    const { maxBytes, turns } = this.#limits;
    try {
      for (let pieces = 1; this.#reader; pieces++) {
        const { done, value } = await this.#reader.read();
        if (done || value === undefined) break;
        const size = this.#size + value.byteLength;
        if (size > maxBytes || pieces > MAX_PIECES + size / BYTES_PER_PIECE) this.#refuse();
        if (this.#isGivenUp) return undefined;
        this.#add(value);
        if (pieces % PIECES_A_TURN === FIRST_PIECES) await turns.next();
      }
      return this.#bytes.subarray(0, this.#size);
    } finally {
      this.#giveBack();
    }
  }

  /** Gives up the rest, which is still to come. Not awaited: a source that ignores it must not hold the answer back. */
  cancel(): void {
    this.#isGivenUp = true;
    this.#giveBack();
    this.#reader?.cancel().catch(() => {});
  }

  /** Gives up the rest, which may be here already, once the answer has been sent. */
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

/** The share of the budget that a body takes. Short ones take none, so that large ones cannot keep them out. */
function countedSize(size: number): number {
  return Math.max(size - WHOLE_BODY, 0);
}

const NOTHING = new Uint8Array();
