/**
 * Sends replies by `node:http` and `node:http2`. A response may fail before its head is sent, and then the client gets the response to
 * the failure, or after it, and then the connection is closed: a body that was sent in part must not look whole.
 */

import { Buffer } from "node:buffer";
import { type Body, cancelBody, isUnread, mayBeCancelled, reasonOf, type Reply } from "../http/reply.ts";
import { sendableHeaders } from "./fetch.ts";
import { fieldOf } from "./node_request.ts";
import { sleep } from "../promises.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/** The statuses whose responses never have a body, and so no Content-Length of 0 either (RFC 9110 §6.4.1). */
const BODILESS = new Set([204, 304]);

/**
 * Closes the connection after a request with `Upgrade`. Node drops what came in the same packet after such a head; a
 * client whose connection is closed sends it again.
 */
export function endAfterUpgrade(incoming: NodeRequest, outgoing: NodeResponse): void {
  if (fieldOf(incoming, "upgrade") !== null) outgoing.shouldKeepAlive = false;
}

/**
 * Sends a reply.
 *
 * @param onFailure Called if it cannot be sent, also when a part of it has been sent already.
 */
export function sendReply(reply: Reply, outgoing: NodeResponse, onFailure: (thrown: unknown) => void): void {
  const { status, headers, body } = reply;
  try {
    if (typeof body === "string") return sendText(reply, body, outgoing);
    if (isResponse(body)) return sendResponse(body, headers, outgoing, onFailure);
    if (body instanceof ReadableStream) {
      outgoing.writeHead(status, headers);
      return void sendStream(body, outgoing, headers["content-length"]).catch(onFailure);
    }
    const hasLength = Object.hasOwn(headers, "content-length") || BODILESS.has(status);
    outgoing.writeHead(status, hasLength ? headers : { ...headers, "content-length": body?.byteLength ?? 0 });
    outgoing.end(body ?? undefined);
  } catch (thrown) {
    cancelBody(body);
    onFailure(thrown);
  }
}

function sendText({ status, headers }: Reply, body: string, outgoing: NodeResponse): void {
  const length = Buffer.byteLength(body);
  // The text is ASCII if it has as many bytes as characters. Node copies it without a conversion if it is told so.
  const encoding = length === body.length ? "latin1" : "utf8";
  outgoing.writeHead(status, { ...headers, "content-length": length });
  outgoing.end(body, encoding);
}

/** Whether a body is a `Response`. It may come from another realm, or from a polyfill, so its class is not asked. */
function isResponse(body: Body): body is Response {
  return body !== null && typeof body === "object" && "headers" in body;
}

/** Sends the response to a failure, or breaks off the response that has begun. */
export function sendFailure(reply: Reply, outgoing: NodeResponse): void {
  if (outgoing.headersSent && outgoing.writableEnded) return;
  // On HTTP/2, a head that is refused at the end leaves a response that has ended and has sent nothing.
  if (outgoing.headersSent || outgoing.writableEnded) return breakOff(outgoing);
  sendReply(reply, outgoing, () => breakOff(outgoing));
}

/** Closes the connection, or on HTTP/2 the stream, which only an error ends with a code that tells the client. */
export function breakOff(outgoing: NodeResponse): void {
  outgoing.destroy(outgoing.req.httpVersionMajor === 2 ? new Error("The response was broken off") : undefined);
}

/**
 * The header fields of one connection (RFC 9110 §7.6.1). Those of an app's response speak of the connection to its upstream, or would
 * frame the body in another way than Node does, so the client would take the next response for a part of this one.
 */
const OF_CONNECTION = /^(connection|http2-settings|keep-alive|proxy-connection|te|transfer-encoding|upgrade)$/;

/**
 * Removes what says nothing of this connection, or nothing true. `Connection: close` stays, because the service says by it that it stops.
 *
 * @param hasLength Whether the response may have a length without a body.
 */
function reframe(headers: Headers, isHttp2: boolean, hasLength: boolean): void {
  const isLast = !isHttp2 && headers.get("connection")?.toLowerCase() === "close";
  for (const name of [...headers.keys()]) if (OF_CONNECTION.test(name)) headers.delete(name);
  if (isLast) headers.set("connection", "close");
  if (!hasLength || !/^\d{1,15}$/.test(headers.get("content-length") ?? "")) headers.delete("content-length");
}

function sendResponse(
  response: Response,
  extra: Reply["headers"],
  outgoing: NodeResponse,
  onFailure: (thrown: unknown) => void,
): void {
  // This throws if a header cannot be sent. Until then nothing is set, since the response to that failure would have it too.
  const headers = sendableHeaders(response, extra);
  if (!isUnread(response)) throw new TypeError("The body of the Response has been read, or is being read");
  const isHttp2 = outgoing.req.httpVersionMajor === 2, isHead = outgoing.req.method === "HEAD";
  const { body, status, statusText } = response;
  // Responses to HEAD and those with 304 have the length of the body that another response has, but never one with 204 (RFC 9110 §8.6).
  reframe(headers, isHttp2, body !== null || status === 304 || (isHead && status !== 204));
  try {
    outgoing.statusCode = status;
    if (!isHttp2) outgoing.statusMessage = reasonOf(statusText);
    for (const [name, value] of headers) {
      // Several cookies cannot be joined by commas, so they are set as a list below.
      if (name !== "set-cookie") outgoing.setHeader(name, value);
    }
    const cookies = headers.getSetCookie();
    if (cookies.length > 0) outgoing.setHeader("set-cookie", cookies);
    if (!body || isHead) outgoing.end();
  } catch (thrown) {
    takeBack();
    throw thrown;
  }
  if (!body) return;
  if (isHead) return cancelBody(response);
  sendStream(body, outgoing, headers.get("content-length") ?? undefined, mayBeCancelled(response)).catch((thrown) => {
    takeBack();
    onFailure(thrown);
  });

  /** The response to a failure must not have what this one has set: Node refuses some heads as late as when it sends them. */
  function takeBack(): void {
    if (outgoing.headersSent) return;
    if (!isHttp2) outgoing.statusMessage = "";
    for (const name of headers.keys()) outgoing.removeHeader(name);
  }
}

/**
 * Whether the client went away before the whole response was sent. Ask this when the response has closed. `writableFinished` alone does not
 * tell it, because HTTP/2 sets it after a reset too.
 */
export function hasLeft({ writableEnded, writableFinished }: NodeResponse): boolean {
  return !writableEnded || !writableFinished;
}

/**
 * Whether the response can no longer be written, because the client has gone or the app has closed it. Ask this before `end()` is called, because afterwards
 * `writableFinished` is also true for a response that was sent. After a reset, HTTP/2 sets nothing else.
 */
export function isGone({ destroyed, writableFinished, stream }: NodeResponse): boolean {
  return destroyed || writableFinished || stream?.destroyed === true;
}

/** @param isCancelled Whether the stream is cancelled if the client leaves. */
async function sendStream(
  body: ReadableStream<Uint8Array>,
  outgoing: NodeResponse,
  length: string | undefined,
  isCancelled = true,
): Promise<void> {
  const reader = body.getReader();
  let isOver = false;
  const stop = () => {
    isOver = true;
    if (isCancelled) reader.cancel().catch(() => {});
  };
  // The app may have ended the response itself, such as after a time limit. To write on would end the process.
  if (isGone(outgoing) || outgoing.writableEnded) return stop();
  let resume = () => {};
  let isSent = false;
  outgoing.on("drain", () => resume());
  outgoing.on("close", () => {
    if (!isSent) stop();
    resume();
  });
  try {
    await sendPieces();
  } catch (thrown) {
    stop();
    throw thrown;
  }

  async function sendPieces(): Promise<void> {
    const announced = length === undefined ? undefined : Number(length);
    let sent = 0;
    // An empty piece sends the headers at once. flushHeaders() would encode them as UTF-8, not Latin-1.
    outgoing.write(new Uint8Array());
    for (let piece = await reader.read(); !piece.done && !isOver; piece = await reader.read()) {
      if (outgoing.writableEnded) return stop();
      sent += piece.value.byteLength;
      // What is beyond the length would stand where the client expects the next response.
      if (announced !== undefined && sent > announced) {
        stop();
        return breakOff(outgoing);
      }
      const drained = new Promise<void>((resolve) => resume = resolve);
      if (!outgoing.write(piece.value)) await drained;
      // Empty pieces never fill the buffer, so a stream of them would keep every other request waiting.
      if (piece.value.byteLength === 0) await sleep(1);
    }
    if (isOver) return;
    isSent = true;
    // If the body is shorter than announced, the client would take the next response for a part of this one.
    if (announced !== undefined && sent !== announced) breakOff(outgoing);
    else outgoing.end();
  }
}
