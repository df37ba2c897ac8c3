/** Request ids, by which a client, a proxy and the operator mean the same request. */

import { extendReply, type Reply } from "./reply.ts";
import type { RequestContext } from "./context.ts";

/** The name of the field, in lower case. It has no standard, but proxies and clients use it widely. */
export const REQUEST_ID = "x-request-id";

/** In characters. */
export const MAX_REQUEST_ID = 128;

/** Created with the first id, because Workers provide no random numbers before the first request. */
let prefix = "", seed = 0, count = 0;

/** The id that the client or a proxy has sent, or a new one. It stays the same for the whole context. */
export function requestIdOf(context: RequestContext): string {
  return context.requestId ??= saneId(context.header(REQUEST_ID)) ?? createId();
}

/** Adds the id of the request to its response. A `Response` of the app may have an id of its own, which stays. */
export function withRequestId(reply: Reply, context: RequestContext): Reply {
  const { body } = reply;
  if (body !== null && typeof body === "object" && "headers" in body && body.headers.has(REQUEST_ID)) return reply;
  return extendReply(reply, { [REQUEST_ID]: requestIdOf(context) });
}

/** Only visible ASCII, so that an id can neither break a line of a log nor add a field to it. */
function saneId(given: string | null): string | undefined {
  if (given === null || given === "" || given.length > MAX_REQUEST_ID) return undefined;
  for (let i = 0; i < given.length; i++) {
    const unit = given.charCodeAt(i);
    if (unit < 0x21 || unit > 0x7e) return undefined;
  }
  return given;
}

/**
 * Unique with a probability that suffices for an id which is no secret: 64 random bits for each 2^32 ids of a process. The
 * counter is scrambled, so that an id does not tell how many requests there were. `crypto.randomUUID()` costs three times as
 * much.
 */
function createId(): string {
  if (count === 0) {
    const [a = 0, b = 0, c = 0] = crypto.getRandomValues(new Uint32Array(3));
    prefix = `${a.toString(36)}${b.toString(36)}-`;
    seed = c;
  }
  count = count + 1 >>> 0;
  return prefix + scramble(count ^ seed).toString(36);
}

/** Maps 32 bits to 32 others, one to one. */
function scramble(bits: number): number {
  const half = Math.imul(bits ^ bits >>> 16, 0x85ebca6b);
  const most = Math.imul(half ^ half >>> 13, 0xc2b2ae35);
  return (most ^ most >>> 16) >>> 0;
}
