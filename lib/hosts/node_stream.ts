/** Sends a stream as the body of a response of `node:http` or `node:http2`, as fast as the client takes it. */

import { isBytes } from "../http/body_stream.ts";
import { cancelSource } from "../http/reply.ts";
import { sleep } from "../promises.ts";
import { isGoneBeforeEnd, onGone } from "./node_gone.ts";
import type { NodeResponse } from "./node_types.ts";

/** What is sent before the body. */
export interface StreamHead {
  /** Sends the head. It may throw. */
  send: () => void;
  /** The Content-Length of the response, if it has one. */
  length: string | undefined;
}

/**
 * Sends a stream as the body of a response. It rejects if the stream fails while the client waits.
 *
 * @param responseOfApp The response of the app that has the stream. Its type and its URL decide how the source of the stream can be told that
 * the rest will not be read; see {@link cancelSource}.
 */
export async function sendStream(
  body: ReadableStream<Uint8Array>,
  outgoing: NodeResponse,
  head: StreamHead,
  responseOfApp?: Response,
): Promise<void> {
  const reader = body.getReader();
  const pieces = checkedPieces(reader, head.length === undefined ? undefined : Number(head.length));
  let isWhole = false;
  const cancelRest = () => {
    if (!isWhole) cancelSource(reader, responseOfApp);
  };
  // The source is told at once when the client leaves. The loop below may be waiting for its next piece, which may never come.
  const client = new ClientOfStream(outgoing, cancelRest);
  try {
    const firstRead = pieces.next();
    // The head waits for the first piece until the end of this turn. If the stream fails before, the client gets the response to the failure.
    await Promise.race([firstRead, endOfTurn()]);
    if (!client.canReceive) return;
    head.send();
    // Node keeps the head until something is written. An empty piece sends it at once. flushHeaders() would encode it as UTF-8, not Latin-1.
    outgoing.write(new Uint8Array());
    let piece = await firstRead;
    while (client.canReceive && !piece.done) {
      await client.send(piece.value);
      piece = await pieces.next();
    }
    if (client.canReceive) {
      isWhole = true;
      outgoing.end();
    }
  } catch (thrown) {
    // After the client has left, a body may fail because it has: an app may give the signal of the request to `fetch`.
    if (client.canReceive) throw thrown;
  } finally {
    cancelRest();
  }
}

/** The client that gets a stream. It may be slow, and leave at any moment. */
class ClientOfStream {
  readonly #outgoing: NodeResponse;
  #isGone: boolean;
  /** Ends the wait of `send()` for a slow client. It does nothing if there is no such wait. */
  #resumeSending = () => {};

  constructor(outgoing: NodeResponse, whenGone: () => void) {
    this.#outgoing = outgoing;
    this.#isGone = isGoneBeforeEnd(outgoing);
    // All waits share this listener, because one that a middleware such as Express's `compression` has moved cannot be removed.
    outgoing.on("drain", () => this.#resumeSending());
    onGone(outgoing, () => {
      this.#isGone = true;
      this.#resumeSending();
      whenGone();
    });
  }

  /**
   * Whether the client is there and the response has no end yet. The app may have ended it itself, such as after a time limit. A write after
   * the end is an error that would end the process.
   */
  get canReceive(): boolean {
    return !this.#isGone && !this.#outgoing.writableEnded;
  }

  /** Sends a piece, and waits until the client can take another one, or has left. */
  async send(piece: Uint8Array): Promise<void> {
    // Some adapters of cloud functions return nothing, and have no `drain`.
    const isBufferFull = this.#outgoing.write(piece) === false;
    if (isBufferFull) await new Promise<void>((resolve) => this.#resumeSending = resolve);
    // Empty pieces never fill the buffer, so a stream of them would keep every other request waiting.
    if (piece.byteLength === 0) await sleep(1);
  }
}

/** Resolves when this turn of the event loop ends. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const WRONG_LENGTH = "The body of a response must be as long as its Content-Length";

/**
 * Reads the pieces of a body, and checks that they have the announced length together. What is beyond it would stand where the client expects
 * the next response, and after a shorter body, the client would take the next response for a part of this one.
 */
async function* checkedPieces(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  announced: number | undefined,
): AsyncGenerator<Uint8Array, void> {
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    // A piece of text has no length in bytes, so it could not be held against the announced length.
    if (!isBytes(value)) throw new TypeError("The pieces of a response's body must be Uint8Arrays");
    length += value.byteLength;
    if (announced !== undefined && length > announced) throw new TypeError(WRONG_LENGTH);
    yield value;
  }
  if (announced !== undefined && length !== announced) throw new TypeError(WRONG_LENGTH);
}
