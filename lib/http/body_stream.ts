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
 * Reads a body as text, or as bytes if it comes in one piece: to decode a stream takes another decoder, which costs as much as
 * half a create. If the reader is cancelled meanwhile, the result is what has arrived.
 */
export async function readPieces(
  reader: BodyReader,
  { maxBytes, tooLarge, budget }: StreamLimits,
): Promise<string | Uint8Array> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let last = new Uint8Array(), text = "", size = 0;
  try {
    for (let pieces = 1;; pieces++) {
      const { value } = await reader.read();
      if (!value) return decoder ? text + decodeStrictly(decoder, last, false) : last;
      const before = size;
      size += value.byteLength;
      budget.left -= countedSize(size) - countedSize(before);
      if (size > maxBytes || pieces > MAX_PIECES + size / BYTES_PER_PIECE) throw tooLarge;
      if (budget.left < 0) throw OVERLOADED;
      if (pieces > 1) text += decodeStrictly(decoder ??= new TextDecoder("utf-8", { fatal: true }), last, true);
      // A copy, because the buffer of a piece may be thousands of times as large.
      last = value.slice();
      if (pieces % PIECES_A_TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
  } catch (thrown) {
    // Cancels the rest of the body after the response has been sent.
    if (TIMERS_END_WITH_REQUESTS) discard(reader);
    else setTimeout(discard, LEFT_ALONE, reader);
    throw thrown;
  } finally {
    budget.left += countedSize(size);
  }
}

/** Cancels the rest of a body. Does not wait, because a source that ignores it must not delay the response. */
export function discard(reader: BodyReader): void {
  reader.cancel().catch(() => {});
}

/** Decodes UTF-8. Throws the failure if it is malformed. */
export function decodeStrictly(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: ArrayBuffer | Uint8Array,
  stream: boolean,
): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    throw NOT_UTF8;
  }
}

/** How much of the budget a body uses. Short bodies use none, so that large ones cannot block them. */
function countedSize(size: number): number {
  return Math.max(size - WHOLE_BODY, 0);
}
