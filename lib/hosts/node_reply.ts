import { Buffer } from "node:buffer";
import { type Body, cancelBody, isUnread, reasonOf, type Reply } from "../http/reply.ts";
import { sendableHeaders } from "./fetch.ts";
import { fieldOf } from "./node_request.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/** RFC 9110 §6.4.1. */
const BODILESS = new Set([204, 304]);

/** Node drops what followed an `Upgrade` head in one packet. After a close, clients send it again. */
export function endAfterUpgrade(incoming: NodeRequest, outgoing: NodeResponse): void {
  if (fieldOf(incoming, "upgrade") !== null) outgoing.shouldKeepAlive = false;
}

/** `onFailure` is also called for a response sent in part. */
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
  // Node copies ASCII as it is.
  const encoding = length === body.length ? "latin1" : "utf8";
  outgoing.writeHead(status, { ...headers, "content-length": length });
  outgoing.end(body, encoding);
}

/** It may come from another realm. */
function isResponse(body: Body): body is Response {
  return body !== null && typeof body === "object" && "headers" in body;
}

/** A partial body must not look whole. */
export function sendFailure(reply: Reply, outgoing: NodeResponse): void {
  if (outgoing.writableEnded) return;
  if (outgoing.headersSent) return breakOff(outgoing);
  sendReply(reply, outgoing, () => breakOff(outgoing));
}

/** On HTTP/2, only an error resets the stream with its code. */
export function breakOff(outgoing: NodeResponse): void {
  outgoing.destroy(outgoing.req.httpVersionMajor === 2 ? new Error("The response was broken off") : undefined);
}

/** HTTP/2 forbids these (RFC 9113 §8.2.2). */
const OF_CONNECTION = /^(connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/;

function sendResponse(
  response: Response,
  extra: Reply["headers"],
  outgoing: NodeResponse,
  onFailure: (thrown: unknown) => void,
): void {
  // Before a header is set, which a failure's response would have too.
  const headers = sendableHeaders(response, extra);
  if (!isUnread(response)) throw new TypeError("The body of the Response has been read, or is being read");
  const isHttp2 = outgoing.req.httpVersionMajor === 2;
  const { body, status, statusText } = response;
  try {
    outgoing.statusCode = status;
    if (!isHttp2) outgoing.statusMessage = reasonOf(statusText);
    for (const [name, value] of headers) {
      // Commas cannot join these values.
      if (name !== "set-cookie" && !(isHttp2 && OF_CONNECTION.test(name))) outgoing.setHeader(name, value);
    }
    const cookies = headers.getSetCookie();
    if (cookies.length > 0) outgoing.setHeader("set-cookie", cookies);
    if (!body || outgoing.req.method === "HEAD") outgoing.end();
  } catch (thrown) {
    takeBack();
    throw thrown;
  }
  if (!body) return;
  if (outgoing.req.method === "HEAD") return void body.cancel().catch(() => {});
  sendStream(body, outgoing, headers.get("content-length") ?? undefined).catch((thrown) => {
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

/** On HTTP/2, `writableFinished` is also true after a reset. */
export function hasLeft({ writableEnded, writableFinished }: NodeResponse): boolean {
  return !writableEnded || !writableFinished;
}

/** Before `end()`. After a reset, HTTP/2 reports only `writableFinished`. */
export function isGone({ destroyed, writableFinished }: NodeResponse): boolean {
  return destroyed || writableFinished;
}

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
  // flushHeaders() would encode headers as UTF-8, not Latin-1.
  outgoing.write(new Uint8Array());
  let sent = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    sent += piece.value.byteLength;
    const drained = new Promise<void>((resolve) => resume = resolve);
    if (!outgoing.write(piece.value)) await drained;
  }
  // The client would take the next response for the rest.
  if (length !== undefined && sent !== Number(length)) breakOff(outgoing);
  else outgoing.end();
}
