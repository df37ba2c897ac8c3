/** Sends a stream as the body of a response of `node:http` or `node:http2`, as fast as the client takes it. */

import { isBytes } from "../http/body_stream.ts";
import { cancelSource } from "../http/reply.ts";
import { sleep } from "../promises.ts";
import { isGoneBeforeEnd, onGone } from "./node_gone.ts";
import type { NodeResponse } from "./node_types.ts";

const WRONG_LENGTH = "The body of a response must be as long as its Content-Length";

/**
 * Sends a stream as the body of a response. It rejects if the stream fails while the client waits.
 *
 * @param length The Content-Length of the response, if it has one.
 * @param response The response of the app that has the stream; see {@link cancelSource}.
 */
export async function sendStream(
  body: ReadableStream<Uint8Array>,
  outgoing: NodeResponse,
  length: string | undefined,
  response?: Response,
): Promise<void> {
  const reader = body.getReader();
  const pieces = checkedPieces(reader, length === undefined ? undefined : Number(length));
  /** `stopped` means that nothing more is to be sent, and `ended` that the stream has given its last piece. */
  let state: "sending" | "stopped" | "ended" = "sending";
  const isStopped = () => state === "stopped";
  /** Ends the wait for a slow client, if there is one. */
  let endWait = () => {};

  // The app may have ended the response itself, such as after a time limit. A write after the end is an error that would end the process.
  if (isGoneBeforeEnd(outgoing) || outgoing.writableEnded) return stop();
  outgoing.on("drain", () => endWait());
  onGone(outgoing, () => {
    stop();
    endWait();
  });
  try {
    await sendPieces();
  } catch (thrown) {
    // After the client has left, a body may fail because it has: an app may give the signal of the request to `fetch`.
    if (isStopped()) return;
    stop();
    throw thrown;
  }

  function stop(): void {
    if (state !== "sending") return;
    state = "stopped";
    cancelSource(reader, response);
  }

  async function sendPieces(): Promise<void> {
    let next = pieces.next();
    // If the stream fails in this turn, the client gets the response to the failure. The head of a slow stream does not wait for longer.
    await Promise.race([next, new Promise((resolve) => setImmediate(resolve))]);
    if (isStopped()) return;
    if (outgoing.writableEnded) return stop();
    // An empty piece sends the headers at once. flushHeaders() would encode them as UTF-8, not Latin-1.
    outgoing.write(new Uint8Array());
    for (;;) {
      const { done, value } = await next;
      if (isStopped()) return;
      if (done) break;
      if (outgoing.writableEnded) return stop();
      // Some adapters of cloud functions return nothing, and have no `drain`.
      const isBufferFull = outgoing.write(value) === false;
      if (isBufferFull) await new Promise<void>((resolve) => endWait = resolve);
      // Empty pieces never fill the buffer, so a stream of them would keep every other request waiting.
      if (value.byteLength === 0) await sleep(1);
      next = pieces.next();
    }
    state = "ended";
    outgoing.end();
  }
}

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
