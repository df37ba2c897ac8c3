/** Request ids, by which a client, a proxy and the operator mean the same request. */

import { extendReply, type Reply } from "./reply.ts";
import type { RequestContext } from "./context.ts";

/** The name of the field, in lower case. It has no standard, but proxies and clients use it widely. */
export const REQUEST_ID = "x-request-id";

/** In characters. */
export const MAX_REQUEST_ID = 128;

/** The id that the client or a proxy has sent, or a new one. It stays the same for the whole request. */
export function requestIdOf(context: RequestContext): string {
  return context.requestId ??= saneId(context.header(REQUEST_ID)) ?? crypto.randomUUID();
}

/** Adds the id of the request to its response. A `Response` of the app may have an id of its own, which stays. */
export function withRequestId(reply: Reply, context: RequestContext): Reply {
  const { body } = reply;
  if (body instanceof Response && body.headers.has(REQUEST_ID)) return reply;
  return extendReply(reply, { [REQUEST_ID]: requestIdOf(context) });
}

/** Only visible ASCII, so that an id can neither break a line of a log nor add a field to it. */
function saneId(given: string | null): string | undefined {
  return given !== null && given.length <= MAX_REQUEST_ID && /^[!-~]+$/.test(given) ? given : undefined;
}
