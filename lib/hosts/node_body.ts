/** The body of a request of `node:http`: whether there is one, and its bytes, as a whole or as a stream. */

import { Buffer } from "node:buffer";
import { nextTick } from "node:process";
import { disconnected } from "../http/interruption.ts";
import { fieldOf } from "./node_head.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/** Whether a request has a body that the service may read. */
export function hasBody(incoming: NodeRequest): boolean {
  const { method } = incoming;
  if (method === "GET" || method === "HEAD") return false;
  return Number(fieldOf(incoming, "content-length")) > 0 || fieldOf(incoming, "transfer-encoding") !== null;
}

/** The body that the host has read before and kept as bytes. It is absent if the body has not been read, or has not been kept. */
export function bodyKeptByHost({ readableDidRead, rawBody }: NodeRequest): Uint8Array<ArrayBuffer> | undefined {
  return readableDidRead && rawBody instanceof Uint8Array ? rawBody as Uint8Array<ArrayBuffer> : undefined;
}

/**
 * Whether the body can no longer be read byte by byte: a part of it has been read and not kept, or `setEncoding()` makes text of it, which
 * hides malformed UTF-8.
 */
export function isBodyTaken(incoming: NodeRequest): boolean {
  const { readableDidRead, readableEncoding } = incoming;
  return (readableDidRead || !!readableEncoding) && hasBody(incoming) && bodyKeptByHost(incoming) === undefined;
}

/** Another listener may begin to read the body after the service has looked whether it was taken. */
function alreadyRead(): TypeError {
  return new TypeError("The request body has already been read");
}

/** Reads a body to its end. It rejects if the client leaves before. */
export async function readWholeBody(incoming: NodeRequest): Promise<Uint8Array> {
  // A request without a body is not waited for: its `end` occurs once, and a parser of the app may have taken it.
  if (!hasBody(incoming)) return new Uint8Array();
  const kept = bodyKeptByHost(incoming);
  if (kept) return kept;
  // A short body has usually arrived by the end of this turn, and is then read at once. That is faster than piece by piece.
  await new Promise<void>((resolve) => nextTick(resolve));
  const length = Number(fieldOf(incoming, "content-length") ?? NaN);
  // Without the length, read() gives only the first of several pieces on Deno.
  if (incoming.readableLength === length) return incoming.read(length) as Uint8Array;
  if (isBodyTaken(incoming)) throw alreadyRead();
  if (incoming.destroyed || incoming.aborted) throw disconnected();
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(incoming)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The pieces of a body. By default, the end of the iteration would destroy the connection, which the response still needs. */
function piecesOf(incoming: NodeRequest): AsyncIterableIterator<Uint8Array> {
  return incoming.iterator({ destroyOnReturn: false });
}

/**
 * How long the rest of a body is kept after the response was sent, in milliseconds, if no further piece is asked for. An app may still read a
 * body that it wants to write to its log.
 */
const REST_TIMEOUT_MS = 1000;

/**
 * The body as a stream, of which an app may read a part and forget the rest. Node would then never read the next request of the connection, so
 * the rest is discarded some time after the response was sent. Node itself discards a body that nothing reads.
 */
export function toBodyStream(incoming: NodeRequest, outgoing: NodeResponse): ReadableStream<Uint8Array> {
  const source = new BodySource(incoming);
  outgoing.on("finish", () => source.noteResponseSent());
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** `idle` means that a part was read, and that the app does not wait for more of it. */
type BodyState = "unread" | "reading" | "idle" | "over";

/** The source of a stream that reads the body of a request of Node. */
class BodySource {
  readonly #incoming: NodeRequest;
  readonly #pieces: AsyncIterator<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #state: BodyState = "unread";
  #isResponseSent = false;
  /** Discards the rest of the body. It is set while the body is idle after the response was sent. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(incoming: NodeRequest) {
    this.#incoming = incoming;
    this.#pieces = piecesOf(incoming);
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#controller = controller;
    if (this.#state === "unread" && isBodyTaken(this.#incoming)) throw alreadyRead();
    this.#enter("reading");
    const { done, value } = await this.#pieces.next();
    if (done) controller.close();
    else controller.enqueue(new Uint8Array(value));
    this.#enter(done ? "over" : "idle");
  }

  async cancel(): Promise<void> {
    this.#enter("over");
    await this.#pieces.return?.();
    // The rest of the body is discarded, so that the next request on the connection can be read.
    this.#incoming.resume();
  }

  noteResponseSent(): void {
    this.#isResponseSent = true;
    this.#setTimer();
  }

  #enter(state: BodyState): void {
    this.#state = state;
    this.#setTimer();
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    const isForgotten = this.#state === "idle" && this.#isResponseSent;
    if (isForgotten) this.#timer = setTimeout(() => this.#discard(), REST_TIMEOUT_MS);
  }

  #discard(): void {
    this.#controller?.error(new TypeError("The rest of the request body was discarded, because the response was sent"));
    void this.cancel();
  }
}
