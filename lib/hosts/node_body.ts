/** The body of a request of `node:http`: whether there is one, and its bytes, as a whole or as a stream. */

import { Buffer } from "node:buffer";
import { nextTick } from "node:process";
import { disconnected } from "../http/interruption.ts";
import { fieldOf } from "./node_fields.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/** Whether a request has a body that the service may read. */
function hasBody(incoming: NodeRequest): boolean {
  const { method } = incoming;
  if (method === "GET" || method === "HEAD") return false;
  return Number(fieldOf(incoming, "content-length")) > 0 || fieldOf(incoming, "transfer-encoding") !== null;
}

/**
 * The body that the host has read before and kept as bytes. It is absent if the body has not been
 * read, or has not been kept.
 */
function bodyKeptByHost({ readableDidRead, rawBody }: NodeRequest): Uint8Array<ArrayBuffer> | undefined {
  return readableDidRead && rawBody instanceof Uint8Array ? rawBody as Uint8Array<ArrayBuffer> : undefined;
}

/**
 * Whether the body can no longer be read byte by byte: a part of it has been read and not kept, or
 * `setEncoding()` makes text of it, which hides malformed UTF-8.
 */
export function isBodyTaken(incoming: NodeRequest): boolean {
  const { readableDidRead, readableEncoding } = incoming;
  return (readableDidRead || !!readableEncoding) && hasBody(incoming) && bodyKeptByHost(incoming) === undefined;
}

function alreadyRead(): TypeError {
  return new TypeError("The request body has already been read");
}

/** Reads a body to its end. It rejects if the client leaves before. */
export async function readWholeBody(incoming: NodeRequest): Promise<Uint8Array> {
  // A request without a body is not waited for: its `end` occurs once, and a parser of the app may have taken it.
  if (!hasBody(incoming)) return new Uint8Array();
  const kept = bodyKeptByHost(incoming);
  if (kept) return kept;
  // A short body has usually arrived by the end of this turn, and is then read at once. That is
  // faster than piece by piece.
  await new Promise<void>((resolve) => nextTick(resolve));
  // Another listener may have begun to read in this turn.
  if (isBodyTaken(incoming)) throw alreadyRead();
  const length = Number(fieldOf(incoming, "content-length") ?? NaN);
  // Without the length, read() gives only the first of several pieces on Deno. A whole body counts,
  // even if the client has left since.
  if (incoming.readableLength === length) return incoming.read(length) as Uint8Array;
  if (incoming.destroyed || incoming.aborted) throw disconnected();
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(incoming)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/**
 * The pieces of a body. By default, the end of the iteration would destroy the connection, which
 * the response still needs.
 */
function piecesOf(incoming: NodeRequest): AsyncIterableIterator<Uint8Array> {
  return incoming.iterator({ destroyOnReturn: false });
}

/** The body as a stream, or null if the request has none. */
export function openBody(incoming: NodeRequest, outgoing: NodeResponse): ReadableStream<Uint8Array> | null {
  if (!hasBody(incoming)) return null;
  const kept = bodyKeptByHost(incoming);
  return kept ? new Blob([kept]).stream() : streamOf(incoming, outgoing);
}

/**
 * How long the rest of a body is kept after the response was sent, in milliseconds. An app may
 * still read a body that it wants to write to its log.
 */
const REST_TIMEOUT_MS = 1000;

/**
 * The body as it arrives. An app may read a part of it and forget the rest. Node would then never
 * read the next request of the connection, so the rest is discarded some time after the response
 * was sent. Node itself discards a body of which nothing was read.
 */
function streamOf(incoming: NodeRequest, outgoing: NodeResponse): ReadableStream<Uint8Array> {
  const pieces = piecesOf(incoming);
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let hasBegun = false;

  async function discardRest(): Promise<void> {
    if (incoming.readableEnded) return;
    controller.error(new TypeError("The rest of the request body was discarded, because the response was sent"));
    await pieces.return?.();
    incoming.resume();
  }

  outgoing.on("finish", () => {
    if (hasBegun && !incoming.readableEnded) setTimeout(discardRest, REST_TIMEOUT_MS);
  });
  return new ReadableStream({
    start(ofStream) {
      controller = ofStream;
    },
    async pull() {
      if (!hasBegun && isBodyTaken(incoming)) throw alreadyRead();
      hasBegun = true;
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel: discardRest,
  }, { highWaterMark: 0 });
}
