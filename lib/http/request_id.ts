import { extendReply, type Reply } from "./reply.ts";
import type { RequestContext } from "./context.ts";

const REQUEST_ID = "x-request-id";

/** The most characters of an id that is taken over. */
const MAX_REQUEST_ID = 128;

/** The id that was sent, or a new one. It stays the same for the request. */
export function requestIdOf(context: RequestContext): string {
  return context.requestId ??= saneId(context.header(REQUEST_ID)) ?? crypto.randomUUID();
}

/** Adds the id of the request to a reply. A response of the app that has one already keeps it. */
export function withRequestId(reply: Reply, context: RequestContext): Reply {
  if (Object.hasOwn(reply.headers, REQUEST_ID)) return reply;
  return extendReply(reply, { [REQUEST_ID]: requestIdOf(context) });
}

/**
 * An id that was sent, if it is visible ASCII of a sensible length. Other text could break a line
 * of the log or add a field.
 */
function saneId(given: string | null): string | undefined {
  return given !== null && given.length <= MAX_REQUEST_ID && /^[!-~]+$/.test(given) ? given : undefined;
}
