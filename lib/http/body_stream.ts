/** A body that is long or of unknown length, read in pieces: as far as its limits go, and no further. */

import { TIMERS_END_WITH_REQUESTS } from "./deadlines.ts";
import { HttpError } from "./errors.ts";
import type { Turns } from "./turns.ts";

/**
 * Up to so many bytes, a body that was announced is read whole, which is twice as fast as in pieces. No pet needs more.
 * For a longer one the host would set aside what is announced, whether or not it ever comes.
 */
export const WHOLE_BODY = 16_384;

/** Bytes of longer bodies that may be under way at once, of all clients together. */
export const MAX_UNDER_WAY = 64 * 1024 * 1024;

/** The answer to a body that is too much beside the others. */
export const OVERLOADED = new HttpError("overloaded", "Too many large request bodies are under way; try again later", {
  "retry-after": "1",
});

/**
 * Pieces of a body, and one more for each so many of its bytes, beyond which it is given up: hosts spend so much on each
 * that a client which sends a megabyte byte by byte would stop the whole process for a minute.
 */
const MAX_PIECES = 256, BYTES_PER_PIECE = 256;

/**
 * After so many pieces a body waits for its turn, and again after so many more: where they are here already, nobody else
 * is served while they are read. Not more often, since Deno takes more off the socket at each turn, and moves all
 * that it has for each piece.
 */
const FIRST_PIECES = 32, PIECES_A_TURN = 512;

/**
 * How long, in milliseconds, the rest of a body that is too long is left alone. Deno does not read on while nobody asks,
 * and closes the connection when the body is cancelled behind its answer. Cancelled before, it reads the rest to throw it
 * away, and for tiny chunks that takes the processor for half a second. The client needs some time to read the answer in:
 * a connection that is closed with bytes unread is reset.
 */
const LEFT_ALONE = 1000;

/** What a host is asked to fill at a time. */
const PIECE_BUFFER = 65_536;

/** What one body may take, and what it shares with the others. */
export interface StreamLimits {
  maxBytes: number;
  /** Bytes that may yet be taken. */
  budget: { left: number };
  turns: Turns;
}

/** The body of one request. Its pieces are copied together as they come: each may hold on to a far larger buffer. */
export class BodyStream {
  readonly #reader: PieceReader | undefined;
  readonly #limits: StreamLimits;
  #bytes = new Uint8Array(1024);
  #size = 0;
  #isGivenUp = false;

  constructor(request: Request, limits: StreamLimits) {
    this.#reader = request.body === null ? undefined : openReader(request.body);
    this.#limits = limits;
  }

  /** The bytes, or `undefined` if they, or their pieces, are too many. */
  async arrayBuffer(): Promise<Uint8Array | undefined> {
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

  /** Gives the rest up, which is still to come. Not awaited: a source that ignores it must not hold the answer back. */
  cancel(): void {
    this.#isGivenUp = true;
    this.#giveBack();
    this.#reader?.cancel().catch(() => {});
  }

  /** Gives the rest up, which may be here already, and leaves it alone until the answer has been sent. */
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

/** What a body takes of the budget: short ones nothing, so that large ones cannot keep them out. */
function countedSize(size: number): number {
  return Math.max(size - WHOLE_BODY, 0);
}

const NOTHING = new Uint8Array();

/** What is used of a reader. A piece may be overwritten by the next. */
interface PieceReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** A reader that lends the host its own buffer, where it takes one: another for each piece costs more than the piece. */
function openReader(body: ReadableStream<Uint8Array>): PieceReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    // A stream that an app, or a host, has made of whole pieces.
    return body.getReader();
  }
  let buffer = new ArrayBuffer(PIECE_BUFFER);
  const read = async () => {
    const result = await reader.read(new Uint8Array(buffer));
    if (result.value) buffer = result.value.buffer;
    return result;
  };
  return { read, cancel: () => reader.cancel() };
}
