import { TIMERS_END_WITH_REQUESTS } from "./deadlines.ts";
import { Problem } from "./problem.ts";

/** Longer bodies are not read whole, because the host allocates the announced length. */
export const WHOLE_BODY = 16_384;

/** Bytes of longer bodies in memory, of all clients together. */
export const MAX_UNDER_WAY = 64 * 1024 * 1024;

export const OVERLOADED = /* @__PURE__ */ new Problem(
  503,
  "overloaded",
  "Too many large bodies; try again later",
  {
    "retry-after": "1",
  },
);

const NOT_UTF8 = /* @__PURE__ */ new Problem(400, "invalid_json", "The request body is not valid UTF-8");

/** Single bytes must not block the process. */
const MAX_PIECES = 256, BYTES_PER_PIECE = 256;

/** Then other requests get a turn. */
const PIECES_A_TURN = 64;

/**
 * In milliseconds. Cancelled sooner, Deno reads a refused body to its end, or the client gets a reset and no response.
 */
const CANCEL_DELAY = 1000;

export type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

export interface StreamLimits {
  maxBytes: number;
  tooLarge: Problem;
  /** For all bodies together. */
  budget: { left: number };
}

/** On failure, frees the buffer at once, because garbage would exceed the budget. */
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
    if (TIMERS_END_WITH_REQUESTS) discard(reader);
    else setTimeout(discard, CANCEL_DELAY, reader);
    budget.left += countedSize(buffer.byteLength);
    buffer = buffer.transfer(0);
    throw thrown;
  } finally {
    budget.left += countedSize(buffer.byteLength);
  }
}

/** Never waits for the source. */
export function discard(reader: BodyReader): void {
  reader.cancel().catch(() => {});
}

export function decodeStrictly(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw NOT_UTF8;
  }
}

/** Large bodies cannot block short ones. */
function countedSize(size: number): number {
  return Math.max(size - WHOLE_BODY, 0);
}
