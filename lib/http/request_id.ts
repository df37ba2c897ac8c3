import { extendReply, type Reply } from "./reply.ts";
import type { RequestContext } from "./context.ts";

export const REQUEST_ID = "x-request-id";

/** In characters. */
export const MAX_REQUEST_ID = 128;

/** The id that was sent, or a new one. It stays the same for the request. */
export function requestIdOf(context: RequestContext): string {
  return context.requestId ??= saneId(context.header(REQUEST_ID)) ?? crypto.randomUUID();
}

/** An app's `Response` may keep its own id. */
export function withRequestId(reply: Reply, context: RequestContext): Reply {
  const { body } = reply;
  if (body instanceof Response && body.headers.has(REQUEST_ID)) return reply;
  return extendReply(reply, { [REQUEST_ID]: requestIdOf(context) });
}

/** Visible ASCII cannot break a log line or add a field. */
function saneId(given: string | null): string | undefined {
  return given !== null && given.length <= MAX_REQUEST_ID && /^[!-~]+$/.test(given) ? given : undefined;
}
