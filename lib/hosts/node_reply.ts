/** Sends replies through Node's response. */

import { Buffer } from "node:buffer";
import { type Body, isUnread, type Reply } from "../http/reply.ts";
import { sendableHeaders } from "./fetch.ts";
import { fieldOf } from "./node_request.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/** These statuses never have a body (RFC 9110 §6.4.1). */
const BODILESS = new Set([204, 304]);

/** Other runtimes have a `node:http` of their own, whose sockets only look like those of Node. */
const ON_NODE = globalThis.navigator?.userAgent.startsWith("Node.js/") === true;

/** The used part of Node's sockets. Those of serverless-http have no `writableCorked`. */
interface CorkedSocket {
  readonly writableCorked?: number;
  uncork(): void;
}

/** Node drops what came in one packet after a head with `Upgrade`. If the connection ends, the client sends that again. */
export function endAfterUpgrade(incoming: NodeRequest, outgoing: NodeResponse): void {
  if (fieldOf(incoming, "upgrade") !== null) outgoing.shouldKeepAlive = false;
}

/** @param onFailure Called if the response cannot be sent, or not completely. */
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
    // Tells the source that the body will not be read.
    const unread = isResponse(body) ? body.body : body;
    if (unread instanceof ReadableStream) unread.cancel().catch(() => {});
    onFailure(thrown);
  }
}

function sendText({ status, headers }: Reply, body: string, outgoing: NodeResponse): void {
  const length = Buffer.byteLength(body);
  // Node copies ASCII as it is.
  const encoding = length === body.length ? "latin1" : "utf8";
  outgoing.writeHead(status, { ...headers, "content-length": length });
  const socket = outgoing.req.httpVersionMajor === 1 ? outgoing.socket as CorkedSocket | null | undefined : null;
  if (!ON_NODE || socket?.writableCorked !== 0) return void outgoing.end(body, encoding);
  // write() corks the socket. Uncorked before end(), it sends head and text as one string. end(body) would send them and an empty
  // string with writev(), which makes a response take half as long again.
  outgoing.write(body, encoding);
  socket.uncork();
  outgoing.end();
}

/** Checks a member, because the Response may come from another realm or a package. */
function isResponse(body: Body): body is Response {
  return body !== null && typeof body === "object" && "headers" in body;
}

/** Sends the response to a failure if possible. Otherwise closes the connection, so that a partial body does not look whole. */
export function sendFailure(reply: Reply, outgoing: NodeResponse): void {
  if (outgoing.writableEnded) return;
  if (outgoing.headersSent) return breakOff(outgoing);
  sendReply(reply, outgoing, () => breakOff(outgoing));
}

/** On HTTP/2, only an error resets the stream with a code that says so. */
function breakOff(outgoing: NodeResponse): void {
  outgoing.destroy(outgoing.req.httpVersionMajor === 2 ? new Error("The response was broken off") : undefined);
}

/** What a `Response` of `fetch()` may have, and HTTP/2 forbids (RFC 9113 §8.2.2). */
const OF_CONNECTION = /^(connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/;

function sendResponse(
  response: Response,
  extra: Reply["headers"],
  outgoing: NodeResponse,
  onFailure: (thrown: unknown) => void,
): void {
  // Before any header is set, because the response to the failure would have it too.
  const headers = sendableHeaders(response, extra);
  if (!isUnread(response)) throw new TypeError("The body of the Response has been read, or is being read");
  const isHttp2 = outgoing.req.httpVersionMajor === 2;
  outgoing.statusCode = response.status;
  if (response.statusText !== "" && !isHttp2) outgoing.statusMessage = response.statusText;
  for (const [name, value] of headers) {
    // The values of this one field cannot be joined by commas.
    if (name !== "set-cookie" && !(isHttp2 && OF_CONNECTION.test(name))) outgoing.setHeader(name, value);
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

/** Whether the client left before the whole response was sent. On HTTP/2, `writableFinished` is also true after a reset. */
export function hasLeft({ writableEnded, writableFinished }: NodeResponse): boolean {
  return !writableEnded || !writableFinished;
}

/** Like {@link hasLeft}, before `end()`. After a reset, HTTP/2 reports only `writableFinished`. */
export function isGone({ destroyed, writableFinished }: NodeResponse): boolean {
  return destroyed || writableFinished;
}

/** Sends the headers at once, and the body as fast as the client reads it. Cancels the body when the client leaves. */
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
    // Ends the loop below.
    if (hasLeft(outgoing)) reader.cancel().catch(() => {});
    resume();
  });
  // Not flushHeaders(), because it encodes the headers as UTF-8 instead of Latin-1.
  outgoing.write(new Uint8Array());
  let sent = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    sent += piece.value.byteLength;
    const drained = new Promise<void>((resolve) => resume = resolve);
    if (!outgoing.write(piece.value)) await drained;
  }
  // If the body is too short, the client would take the next response on this connection for the rest.
  if (length !== undefined && sent !== Number(length)) breakOff(outgoing);
  else outgoing.end();
}
