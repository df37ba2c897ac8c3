/** An answer as Node's response. */

import { Buffer } from "node:buffer";
import type { Answer, Body } from "../http/answer.ts";
import type { NodeResponse } from "./node_types.ts";

/** Statuses of answers that never have a body (RFC 9110 §6.4.1). */
const BODILESS = new Set([204, 304]);

/**
 * Sends an answer.
 *
 * @param onFailure Told if it cannot be sent, or breaks off.
 */
export function sendAnswer(answer: Answer, outgoing: NodeResponse, onFailure: (thrown: unknown) => void): void {
  const { status, headers, body } = answer;
  try {
    if (isResponse(body)) return sendResponse(body, headers, outgoing, onFailure);
    if (body instanceof ReadableStream) {
      outgoing.writeHead(status, headers);
      return void sendStream(body, outgoing, headers["content-length"]).catch(onFailure);
    }
    const length = typeof body === "string" ? Buffer.byteLength(body) : body?.byteLength ?? 0;
    const hasLength = Object.hasOwn(headers, "content-length") || BODILESS.has(status);
    outgoing.writeHead(status, hasLength ? headers : { ...headers, "content-length": length });
    outgoing.end(body ?? undefined);
  } catch (thrown) {
    // The source of the body must learn that it will not be read.
    const unread = isResponse(body) ? body.body : body;
    if (unread instanceof ReadableStream) unread.cancel().catch(() => {});
    onFailure(thrown);
  }
}

/** By its members: a response of another realm or package counts too. */
function isResponse(body: Body): body is Response {
  return body !== null && typeof body === "object" && "headers" in body;
}

/** A character that a `Response` may have in a header, and Node refuses to send. */
const NOT_SENT = /[^\t -~\x80-\xff]/;

/** Sends the answer to a failure, if that is still possible. A body that broke off must not look as if it were whole. */
export function sendFailure(answer: Answer, outgoing: NodeResponse): void {
  if (outgoing.writableEnded) return;
  if (outgoing.headersSent) return void outgoing.destroy();
  sendAnswer(answer, outgoing, () => outgoing.destroy());
}

function sendResponse(
  response: Response,
  extra: Answer["headers"],
  outgoing: NodeResponse,
  onFailure: (thrown: unknown) => void,
): void {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(extra)) headers.append(name, value);
  // Before anything is set: the answer to the failure would have it too.
  if (response.body?.locked) throw new TypeError("The body of the Response has been read, or is being read");
  for (const [name, value] of headers) {
    if (NOT_SENT.test(value)) {
      throw new TypeError(`Header ${name} of the Response has a character that Node cannot send`);
    }
  }
  outgoing.statusCode = response.status;
  if (response.statusText !== "" && outgoing.req.httpVersionMajor !== 2) outgoing.statusMessage = response.statusText;
  for (const [name, value] of headers) {
    // The one field whose values cannot be joined by commas, so it comes once for each.
    if (name !== "set-cookie") outgoing.setHeader(name, value);
  }
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader("set-cookie", cookies);
  const { body } = response;
  if (body && outgoing.req.method !== "HEAD") {
    sendStream(body, outgoing, headers.get("content-length") ?? undefined).catch(onFailure);
  } else {
    body?.cancel().catch(() => {});
    outgoing.end();
  }
}

/** Whether the client has left before it had all of the answer. HTTP/2 takes a stream that was reset for finished. */
export function hasLeft({ writableEnded, writableFinished }: NodeResponse): boolean {
  return !writableEnded || !writableFinished;
}

/** Whether the client has left, asked before the answer has ended. An HTTP/2 stream does not tell that it is destroyed. */
export function isGone({ destroyed, writableFinished }: NodeResponse): boolean {
  return destroyed || writableFinished;
}

/** Sends the head at once, and the body as fast as the client reads. Cancels the body when the client leaves. */
async function sendStream(
  body: ReadableStream<Uint8Array>,
  outgoing: NodeResponse,
  length: string | undefined,
): Promise<void> {
  const reader = body.getReader();
  if (isGone(outgoing)) return void reader.cancel().catch(() => {});
  let resume = () => {};
  outgoing.on("drain", () => resume());
  outgoing.on("close", () => {
    // Nothing more can be read after this, so the loop ends.
    if (hasLeft(outgoing)) reader.cancel().catch(() => {});
    resume();
  });
  // Unlike flushHeaders(), which would send the head as UTF-8, and not its bytes as they are.
  outgoing.write(new Uint8Array());
  let sent = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    sent += piece.value.byteLength;
    const drained = new Promise<void>((resolve) => resume = resolve);
    if (!outgoing.write(piece.value)) await drained;
  }
  // The next answer on this connection would pass for the rest of a body that is too short.
  if (length !== undefined && sent !== Number(length)) outgoing.destroy();
  else outgoing.end();
}
