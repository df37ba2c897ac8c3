/**
 * Reads a body piece by piece. A longer body of a client is read in this way, so that no memory is
 * reserved for bytes that have not come. The clients of a service share one budget, because they
 * could otherwise fill the memory together. The body of an app's `Response` is read in this way
 * too, without the budget.
 */

import { callSafely } from "../promises.ts";
import { IN_WORKERS, ON_NODE } from "./platform.ts";
import { OVERLOADED } from "./body_problems.ts";
import type { Problem } from "./problem.ts";

/**
 * The longest body that the host reads at once, in bytes. A host allocates the announced length
 * before a byte has come, so it must not do so for longer bodies.
 */
export const MAX_BYTES_AT_ONCE = 16_384;

/** How many bytes of longer bodies may be in memory, of all clients together. */
export const MAX_MEMORY = 64 * 1024 * 1024;

/**
 * A client may send a body in many tiny pieces, each of which costs a turn. Beyond 256 pieces, the
 * average piece must have 256 bytes, or the body is refused.
 */
const MAX_TINY_PIECES = 256;
const MIN_BYTES_PER_PIECE = 256;

/** How many pieces of one body are read before other requests get a turn of the event loop. */
const PIECES_PER_TURN = 64;

/**
 * How long a body of which not all is read stays open, in milliseconds. Two runtimes need this
 * time:
 *
 * - If the body of a request is cancelled sooner, Deno reads it to its end, or the client gets a
 *   reset and no response.
 * - Node 24 and 26 write a `FormData` of the app into its stream in the background. A write after
 *   the cancellation ends the process.
 */
const CANCEL_DELAY_MS = 1000;

/** What reads a body: the reader of its stream, or something that is used in the same way. */
export interface BodyReader {
  read(): Promise<{ done?: boolean | undefined; value?: unknown }>;
  cancel(): Promise<unknown>;
}

/**
 * Opens a body that may be made of an iterable, as by `new Response(generator())` or by a `Request`
 * of an `IncomingMessage`. On Node, such a body must not be cancelled while it waits for the
 * iterable: if the iterable ends then, the process ends. So it is cancelled when the read that is
 * under way has ended. Such a body is known by its kind, because Node makes a byte stream of an
 * iterable.
 */
export function openReader(body: ReadableStream<Uint8Array>): BodyReader {
  const mayEndProcess = ON_NODE && isByteStream(body);
  if (!mayEndProcess) return body.getReader();
  // The iterator of a stream cancels it when the last read has ended (WHATWG Streams §4.2.5).
  const pieces = body.values();
  return { read: () => pieces.next(), cancel: () => pieces.return!() };
}

function isByteStream(body: ReadableStream): boolean {
  try {
    body.getReader({ mode: "byob" }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

/** How many bytes are left for longer bodies. The requests that come together share this object. */
export interface MemoryBudget {
  left: number;
}

/**
 * Returns a function that gives a request the budget for its body.
 *
 * A request of a Worker whose client leaves just ends, and gives nothing back. So there the
 * requests get a new budget once in each time limit. Bodies end within the limit, so those of two
 * budgets at most are in memory.
 */
export function createMemoryBudgets(timeoutMs: number): () => MemoryBudget {
  let budget: MemoryBudget = { left: MAX_MEMORY };
  if (!IN_WORKERS) return () => budget;
  /** When the budget is replaced, as in `Date.now()`. */
  let budgetEnd = 0;
  return () => {
    const now = Date.now();
    if (now > budgetEnd) {
      budgetEnd = now + timeoutMs;
      budget = { left: MAX_MEMORY / 2 };
    }
    return budget;
  };
}

export interface BodyLimits {
  maxBytes: number;
  /** What is thrown for a longer body. */
  tooLarge: Problem | TypeError;
  /**
   * What the body of a client takes its memory from. It is absent for a body of the app, which may
   * also come in tiny pieces.
   */
  budget?: MemoryBudget;
}

/**
 * Reads a body piece by piece, within the limits. If it fails, the caller cancels the body.
 *
 * @throws The error of the limit that the body exceeds, or what the stream throws.
 * @throws {TypeError} If a piece is not a `Uint8Array`, which only a stream of the app can have.
 */
export async function readPieces(reader: BodyReader, limits: BodyLimits): Promise<Uint8Array<ArrayBuffer>> {
  const { maxBytes, tooLarge, budget } = limits;
  let buffer = new ArrayBuffer(0);
  let size = 0;
  /** How many bytes of the budget this body has. */
  let reserved = 0;
  try {
    for (let count = 1;; count++) {
      const { done, value: piece } = await reader.read();
      if (done) return new Uint8Array(buffer, 0, size);
      if (!isBytes(piece)) throw new TypeError("A body must consist of Uint8Arrays");
      const end = size + piece.byteLength;
      const isTooFine = budget && count > MAX_TINY_PIECES + end / MIN_BYTES_PER_PIECE;
      if (end > maxBytes || isTooFine) throw tooLarge;
      if (end > buffer.byteLength) {
        // The buffer at least doubles, so that a long body is not copied for each of its pieces.
        const capacity = Math.min(Math.max(2 * buffer.byteLength, end), maxBytes);
        if (budget) {
          // Short bodies take nothing of the budget, so that large ones cannot keep them out.
          const added = Math.max(capacity - MAX_BYTES_AT_ONCE, 0) - reserved;
          if (added > budget.left) throw OVERLOADED;
          budget.left -= added;
          reserved += added;
        }
        buffer = buffer.transfer(capacity);
      }
      new Uint8Array(buffer).set(piece, size);
      size = end;
      if (count % PIECES_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
  } catch (thrown) {
    // The memory is freed at once: the budget counts it as free from here on, and garbage would still take it.
    buffer.transfer(0);
    throw thrown;
  } finally {
    if (budget) budget.left += reserved;
  }
}

/**
 * Cancels a body of which the rest will not be read, after {@link CANCEL_DELAY_MS}. Its source may
 * never answer, so nothing waits for that.
 */
export function cancelLater(body: BodyReader): void {
  const cancel = () => callSafely(() => body.cancel());
  // A timer of Workers ends with its request.
  if (IN_WORKERS) cancel();
  else setTimeout(cancel, CANCEL_DELAY_MS);
}

/**
 * Whether a piece is a `Uint8Array`. `instanceof` would not recognize one of another realm, as some
 * test runners have.
 */
function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === "[object Uint8Array]";
}
