/** Whether the client of a response on Node has left, and when it does. */

import type { NodeResponse } from "./node_types.ts";

/**
 * Whether a response that has closed did so before all of it was sent, because the client went away. What Node says of such a response:
 *
 * | the response has closed   | `writableEnded` | `writableFinished`     |
 * | ------------------------- | --------------- | ---------------------- |
 * | when all of it was sent   | true            | true                   |
 * | after `end()`, but before | true            | false                  |
 * | before `end()`            | false           | false; true on HTTP/2  |
 */
export function hasClosedEarly({ writableEnded, writableFinished }: NodeResponse): boolean {
  return !writableEnded || !writableFinished;
}

/**
 * Whether a response on which `end()` has not been called can no longer be written, because the client has gone or the app has closed it.
 * After a reset on HTTP/2, `writableFinished` or the state of the stream is all that tells it, and {@link onGone} says when the request does.
 */
export function isGoneBeforeEnd({ destroyed, writableFinished, stream, req }: NodeResponse): boolean {
  return destroyed || writableFinished || stream?.destroyed === true || req.aborted === true;
}

/**
 * Calls `listener` when a response has closed or its client has left, and perhaps twice. If the client leaves, Node 22 and `node:http` of Deno
 * do not close a response that waits for an earlier one of its connection, and Node 22 does not close one of HTTP/2 whose stream waits for
 * the client. Their requests are aborted all the same.
 */
export function onGone(outgoing: NodeResponse, listener: () => void): void {
  outgoing.on("close", listener);
  // An adapter of cloud functions may have made the response without the request.
  outgoing.req.on?.("aborted", listener);
}
