/** Sends replies by `node:http`. */

import { Buffer } from "node:buffer";
import { BROKEN_OFF, type Reply } from "../http/reply.ts";
import { fieldOf } from "./node_fields.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/**
 * Closes the connection after a request with `Upgrade`. If the client has sent further requests in
 * the same packet, Node drops them; a client whose connection is closed sends them again.
 */
export function endAfterUpgrade(incoming: NodeRequest, outgoing: NodeResponse): void {
  if (fieldOf(incoming, "upgrade") !== null) outgoing.shouldKeepAlive = false;
}

/**
 * Sends a reply, unless the app has ended the response itself, for example after a time limit. For
 * a HEAD request the caller has taken the body away already, and set the length.
 *
 * @throws If a middleware of the app has begun another response, or has set a header that cannot be
 * sent.
 */
export function sendReply(reply: Reply, outgoing: NodeResponse): void {
  const { status, headers, cookies, body } = reply;
  if (isSentByApp(outgoing)) return;
  if (body === BROKEN_OFF) return breakOff(outgoing);
  // Node takes the values of several fields of one name as a list.
  const fields = cookies && cookies.length > 0 ? { ...headers, "set-cookie": [...cookies] } : headers;
  if (typeof body === "string") sendText(status, fields, body, outgoing);
  else sendBytes(status, fields, body, outgoing);
}

type Fields = Readonly<Record<string, string | string[]>>;

function sendText(status: number, fields: Fields, body: string, outgoing: NodeResponse): void {
  const length = Buffer.byteLength(body);
  // The text is ASCII if it has as many bytes as characters. Node copies it without a conversion if it is told so.
  const encoding = length === body.length ? "latin1" : "utf8";
  outgoing.writeHead(status, { ...fields, "content-length": length });
  outgoing.end(body, encoding);
}

/**
 * The statuses whose responses never have a body (RFC 9110 §6.4.1). They get no
 * `Content-Length: 0`: a 204 must not have the field, and in a 304 it would be the length of the
 * 200 that the client has (§8.6).
 */
const BODILESS = new Set([204, 304]);

function sendBytes(status: number, fields: Fields, body: Uint8Array | null, outgoing: NodeResponse): void {
  // A response to HEAD without a length says nothing about that of GET.
  const isHead = outgoing.req.method === "HEAD";
  const needsLength = !isHead && !Object.hasOwn(fields, "content-length") && !BODILESS.has(status);
  outgoing.writeHead(status, needsLength ? { ...fields, "content-length": body?.byteLength ?? 0 } : fields);
  outgoing.end(body ?? undefined);
}

/**
 * Sends the reply to a failure. A response of which a part was sent is broken off, because it must
 * not look whole, and so is one that a middleware keeps from being sent.
 */
export function sendFailure(reply: Reply, outgoing: NodeResponse): void {
  if (isSentByApp(outgoing)) return;
  // No other head can be sent: either one was sent, or the app has ended the response without one.
  if (outgoing.headersSent || outgoing.writableEnded) return breakOff(outgoing);
  try {
    sendReply(reply, outgoing);
  } catch {
    breakOff(outgoing);
  }
}

/** Whether the app has sent a whole response of its own, which may still be on its way to the client. */
function isSentByApp({ headersSent, writableEnded }: NodeResponse): boolean {
  return headersSent && writableEnded;
}

/** Closes the connection of a response. */
function breakOff(outgoing: NodeResponse): void {
  const close = () => {
    // Bun sends an empty 200 if the response alone is destroyed.
    outgoing.socket?.destroy?.();
    outgoing.destroy();
  };
  // A response gets its socket when the earlier responses of the connection have been sent. To
  // close the connection before would cut those off.
  if (outgoing.socket === null) outgoing.on("socket", close);
  else close();
}
