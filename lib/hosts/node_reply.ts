/**
 * Sends replies by `node:http` and `node:http2`. If a reply fails before its head was sent, the client gets the response to the failure. If it
 * fails later, the connection is closed: a body that was sent in part must not look whole.
 */

import { Buffer } from "node:buffer";
import { cancelBody, isResponse, isSendableStatus, reasonOf, type Reply } from "../http/reply.ts";
import { attempt, type MaybePromise } from "../promises.ts";
import { sendableHeaders } from "./fetch.ts";
import { fieldOf } from "./node_head.ts";
import { sendStream } from "./node_stream.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/**
 * The statuses whose responses never have a body (RFC 9110 §6.4.1). They get no `Content-Length: 0`: a 204 must not have the field, and in a
 * 304 it would be the length of the 200 that the client has (§8.6).
 */
const BODILESS = new Set([204, 304]);

/**
 * Closes the connection after a request with `Upgrade`. If the client has sent further requests in the same packet, Node drops them; a
 * client whose connection is closed sends them again.
 */
export function endAfterUpgrade(incoming: NodeRequest, outgoing: NodeResponse): void {
  if (fieldOf(incoming, "upgrade") !== null) outgoing.shouldKeepAlive = false;
}

/**
 * Sends a reply. For a HEAD request the caller has taken the body away already, and set the length, unless it is a `Response` of the app.
 *
 * @param onFailure Called if the reply cannot be sent, also when a part of it has been sent already.
 */
export function sendReply(reply: Reply, outgoing: NodeResponse, onFailure: (thrown: unknown) => void): void {
  void attempt(() => send(reply, outgoing), (thrown) => {
    cancelBody(reply.body);
    onFailure(thrown);
  });
}

function send(reply: Reply, outgoing: NodeResponse): MaybePromise<void> {
  const { status, headers, body } = reply;
  if (typeof body === "string") return sendText(reply, body, outgoing);
  if (isResponse(body)) return sendResponse(body, headers, outgoing);
  if (!(body instanceof ReadableStream)) return sendBytes(reply, body, outgoing);
  // This is a stream of the service itself, such as one of `withFaults()`.
  const head = { send: () => outgoing.writeHead(status, headers), length: headers["content-length"] };
  return sendStream(body, outgoing, head);
}

function sendText({ status, headers }: Reply, body: string, outgoing: NodeResponse): void {
  const length = Buffer.byteLength(body);
  // The text is ASCII if it has as many bytes as characters. Node copies it without a conversion if it is told so.
  const encoding = length === body.length ? "latin1" : "utf8";
  outgoing.writeHead(status, { ...headers, "content-length": length });
  outgoing.end(body, encoding);
}

function sendBytes({ status, headers }: Reply, body: Uint8Array | null, outgoing: NodeResponse): void {
  const needsLength = !Object.hasOwn(headers, "content-length") && !BODILESS.has(status);
  outgoing.writeHead(status, needsLength ? { ...headers, "content-length": body?.byteLength ?? 0 } : headers);
  outgoing.end(body ?? undefined);
}

/** Sends the response to a failure, or breaks off the response that has begun. */
export function sendFailure(reply: Reply, outgoing: NodeResponse): void {
  const { headersSent, writableEnded } = outgoing;
  // The response is whole, and may still be on its way to the client.
  if (headersSent && writableEnded) return;
  // No other head can be sent: either one was sent, or the app has ended the response without one.
  if (headersSent || writableEnded) return breakOff(outgoing);
  sendReply(reply, outgoing, () => breakOff(outgoing));
}

/** Closes the connection, or on HTTP/2 the stream. Without an error, an HTTP/2 client would take what it has for the whole response. */
export function breakOff(outgoing: NodeResponse): void {
  outgoing.destroy(outgoing.req.httpVersionMajor === 2 ? new Error("The response was broken off") : undefined);
}

/**
 * The hop-by-hop header fields (RFC 9110 §7.6.1). In an app's response they describe the connection to its upstream. `Transfer-Encoding`
 * would also frame the body in another way than Node does, and the client would take the next response for a part of this one. `Trailer`
 * announces fields after the body, which no `Response` has; Node refuses it beside a Content-Length.
 */
const HOP_BY_HOP = [
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** A length that JavaScript can count exactly. */
const CONTENT_LENGTH = /^\d{1,15}$/;

/**
 * Deletes the hop-by-hop fields of an app's response, and a Content-Length that is malformed or that the response must not have.
 *
 * @param mayHaveLength Whether this response may have a Content-Length.
 */
function removeForeignFraming(headers: Headers, isHttp2: boolean, mayHaveLength: boolean): void {
  const closesConnection = !isHttp2 && headers.get("connection")?.toLowerCase() === "close";
  for (const name of HOP_BY_HOP) headers.delete(name);
  // `close` is kept, because the service itself says by it that it stops. Any other option of the field would be wrong here.
  if (closesConnection) headers.set("connection", "close");
  const isValid = CONTENT_LENGTH.test(headers.get("content-length") ?? "");
  if (!isValid || !mayHaveLength) headers.delete("content-length");
}

async function sendResponse(response: Response, extra: Reply["headers"], outgoing: NodeResponse): Promise<void> {
  // Each member is read once, because one of the app's object may have another value at the next reading.
  const { body, bodyUsed, status, statusText } = response;
  const headers = sendableHeaders(response, extra);
  if (bodyUsed || body?.locked) throw new TypeError("The body of the Response has been read, or is being read");
  if (!isSendableStatus(status)) throw new TypeError(`A response must have a status from 200 to 599, not ${status}`);
  const isHttp2 = outgoing.req.httpVersionMajor === 2;
  const isHead = outgoing.req.method === "HEAD";
  // Without a body, a 304 and a response to HEAD may tell the length that a 200 to GET would have. A 204 never has one (RFC 9110 §8.6).
  const mayHaveLength = body !== null || status === 304 || (isHead && status !== 204);
  removeForeignFraming(headers, isHttp2, mayHaveLength);
  // Node sends an empty body in chunks if it gets the head before the end. Clients of HTTP/1.0 know no chunks.
  if (!body && !isHead && !BODILESS.has(status)) headers.set("content-length", "0");
  const sendHead = () => {
    if (!isHttp2) outgoing.statusMessage = reasonOf(statusText);
    outgoing.writeHead(status, toFields(headers));
  };

  // A `Response` to HEAD may have a body all the same.
  if (isHead || !body) {
    sendHead();
    outgoing.end();
    cancelBody(response);
    return;
  }
  const length = headers.get("content-length") ?? undefined;
  await sendStream(body, outgoing, { send: sendHead, length }, response);
}

/** The header fields as Node takes them. Several cookies cannot be joined by commas, so each is a field of its own. */
function toFields(headers: Headers): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) fields["set-cookie"] = cookies;
  return fields;
}
