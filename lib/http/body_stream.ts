/** Reads a body that is long or of unknown length piece by piece, up to its limits. */

import { TIMERS_END_WITH_REQUESTS } from "./deadlines.ts";
import { Problem } from "./problem.ts";

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

const NOT_UTF8 = /* @__PURE__ */ new Problem(400, "invalid_json", "The request body is not valid UTF-8");

/**
 * A body may have this many pieces, and one more for each 256 bytes. Otherwise a client that sends a megabyte byte by byte
 * would block the process for a minute.
 */
const MAX_PIECES = 256, BYTES_PER_PIECE = 256;

/** After this many pieces, a body lets others have a turn, because pieces that have already arrived are read without a pause. */
const PIECES_A_TURN = 64;

/**
 * The delay, in milliseconds, before the rest of a body that is refused is cancelled. If it is cancelled before the response,
 * Deno reads and discards the rest, which takes half a second of CPU time for tiny chunks. If it is cancelled after, Deno
 * closes the connection. The client needs time to read the response first, because unread bytes turn a close into a reset.
 */
const LEFT_ALONE = 1000;

/** Reads a body in pieces. */
export type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/** The limits of one body. */
export interface StreamLimits {
  maxBytes: number;
  /** The failure if there are too many bytes or pieces. */
  tooLarge: Problem;
  /** How many bytes are left for all bodies together. */
  budget: { left: number };
}

/**
 * Reads a body into one buffer, which is freed at once if the body is refused or cut: garbage would add up to several times the
 * budget. If the reader is cancelled meanwhile, the result is what has arrived.
 */
export async function readPieces(
  reader: BodyReader,
  { maxBytes, tooLarge, budget }: StreamLimits,
): Promise<Uint8Array> {
  let buffer = new ArrayBuffer(0);
  let size = 0;
  try {
    for (let pieces = 1;; pieces++) {
      const { value } = await reader.read();
      if (!value) return new Uint8Array(buffer, 0, size);
      const end = size + value.byteLength;
      if (end > maxBytes || pieces > MAX_PIECES + end / BYTES_PER_PIECE) throw tooLarge;
      if (end > buffer.byteLength) {
        // Doubled, so that the work grows in proportion to the body.
        const capacity = Math.min(Math.max(2 * buffer.byteLength, end), maxBytes);
        const added = countedSize(capacity) - countedSize(buffer.byteLength);
        if (added > budget.left) throw OVERLOADED;
        budget.left -= added;
        buffer = buffer.transfer(capacity);
      }
      new Uint8Array(buffer).set(value, size);
      size = end;
      if (pieces % PIECES_A_TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
  } catch (thrown) {
    // Cancels the rest of the body after the response has been sent.
    if (TIMERS_END_WITH_REQUESTS) discard(reader);
    else setTimeout(discard, LEFT_ALONE, reader);
    budget.left += countedSize(buffer.byteLength);
    buffer = buffer.transfer(0);
    throw thrown;
  } finally {
    budget.left += countedSize(buffer.byteLength);
  }
}

/** Cancels the rest of a body. Does not wait, because a source that ignores it must not delay the response. */
export function discard(reader: BodyReader): void {
  reader.cancel().catch(() => {});
}

/** Decodes UTF-8. Throws the failure if it is malformed. */
export function decodeStrictly(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw NOT_UTF8;
  }
}

/** How much of the budget a body uses. Short bodies use none, so that large ones cannot block them. */
function countedSize(size: number): number {
  return Math.max(size - WHOLE_BODY, 0);
}
