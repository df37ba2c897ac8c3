/** Reading a request body: never more than the limit, never longer than the time, never wrong UTF-8. */

import { HttpError } from "./errors.ts";

/** How much of a body is read, and for how long it is waited for. */
export interface BodyLimits {
  /** Bytes. */
  maxBytes: number;
  /** Milliseconds from the first look at the body to its last byte. */
  timeout: number;
}

/** Reads the body of a request as text; throws an {@link HttpError} if there is none that can be read. */
export type BodyReader = (request: Request) => Promise<string>;

/** Makes a reader of JSON bodies. */
export function createBodyReader({ maxBytes, timeout }: BodyLimits): BodyReader {
  const deadlines = new Deadlines(timeout);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const tooLarge = new HttpError(413, "body_too_large", `The request body must be at most ${maxBytes} bytes`);
  const timedOut = new HttpError(408, "request_timeout", `The request body did not arrive within ${timeout} ms`);

  return async (request) => {
    requireJson(request.headers);
    // A body that the app has read before is the app's mistake, not the client's.
    if (request.bodyUsed) throw new TypeError("The request body has been read before it was given to the petstore");
    const declared = request.headers.get("content-length");
    if (declared !== null && +declared > maxBytes) throw tooLarge;
    let late = (_reason: HttpError) => {};
    const whenLate = new Promise<never>((_, reject) => late = reject);
    const deadline = deadlines.start(() => late(timedOut));
    try {
      // With a length the server has framed the body already, and reading it whole is twice as fast as in pieces.
      const bytes = await Promise.race([
        declared === null ? readStream(request, whenLate) : readWhole(request),
        whenLate,
      ]);
      if (bytes === undefined || bytes.byteLength > maxBytes) throw tooLarge;
      return decode(bytes);
    } finally {
      deadlines.end(deadline);
    }
  };

  function decode(bytes: Uint8Array): string {
    try {
      // A byte-order mark is dropped, as RFC 8259 §8.1 permits.
      return decoder.decode(bytes);
    } catch {
      throw new HttpError(400, "invalid_json", "The request body is not valid UTF-8");
    }
  }

  /** The bytes of a body of unknown length, or `undefined` as soon as they are too many. */
  async function readStream(request: Request, whenLate: Promise<never>): Promise<Uint8Array | undefined> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const reader = request.body?.getReader();
    try {
      while (reader) {
        const { done, value } = await Promise.race([reader.read(), whenLate]);
        if (done) break;
        size += value.byteLength;
        if (size > maxBytes) return undefined;
        chunks.push(value);
      }
    } catch (thrown) {
      throw thrown instanceof HttpError ? thrown : cutShort;
    } finally {
      // Not awaited: a source that ignores cancellation must not hold the answer back.
      reader?.cancel().catch(() => {});
    }
    return concat(chunks, size);
  }
}

const cutShort = new HttpError(400, "invalid_json", "The request body ended before it was complete");

async function readWhole(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch {
    throw cutShort;
  }
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first) return first;
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** `application/json` in any case, with or without parameters, in clear; or no Content-Type at all. */
function requireJson(headers: Headers): void {
  const type = headers.get("content-type");
  if (type !== null && type !== "application/json") {
    const essence = type.split(";", 1)[0]?.trim().toLowerCase();
    if (essence !== "application/json") throw unsupported("The request body must be application/json");
  }
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw unsupported("The request body must come without Content-Encoding");
  }
}

function unsupported(message: string): HttpError {
  return new HttpError(415, "unsupported_media_type", message, [["accept-post", "application/json"]]);
}

/**
 * Deadlines that all have the same length, so that the one set first is due first and one timer serves them all. A timer
 * of its own for each body would cost more than reading it. Nothing is armed while no body is awaited.
 */
class Deadlines {
  readonly #length: number;
  readonly #pending = new Set<Deadline>();
  #armed = false;

  constructor(length: number) {
    this.#length = length;
  }

  start(expire: () => void): Deadline {
    const deadline: Deadline = { at: performance.now() + this.#length, expire };
    this.#pending.add(deadline);
    if (!this.#armed) this.#arm(this.#length);
    return deadline;
  }

  end(deadline: Deadline): void {
    this.#pending.delete(deadline);
  }

  #arm(delay: number): void {
    this.#armed = true;
    // Looks in between whether there is still anything to wait for: an armed timer keeps a process from ending.
    setTimeout(() => this.#sweep(), Math.min(delay, MAX_IDLE_DELAY));
  }

  #sweep(): void {
    this.#armed = false;
    const now = performance.now();
    for (const deadline of this.#pending) {
      if (deadline.at > now) return this.#arm(deadline.at - now);
      this.#pending.delete(deadline);
      deadline.expire();
    }
  }
}

/** In milliseconds. */
const MAX_IDLE_DELAY = 1000;

interface Deadline {
  at: number;
  expire: () => void;
}
