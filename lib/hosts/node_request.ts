/** Makes a `Request` of a request of `node:http`, where a function of the app needs one. */

import { openBody } from "./node_body.ts";
import { namesAndValues } from "./node_fields.ts";
import { pathAndQueryOf, targetAsSent } from "./node_target.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/**
 * Makes the `Request` of a request. Two of its members are replaced; see {@link withSignal}.
 *
 * @param outgoing The response. When it has been sent, the rest of the body is discarded.
 * @param getSignal Makes the signal that is aborted when the client leaves, or returns the one that
 * it has made.
 */
export function toRequest(incoming: NodeRequest, outgoing: NodeResponse, getSignal: () => AbortSignal): Request {
  const { method = "GET" } = incoming;
  const isForbidden = FORBIDDEN_METHOD.test(method);
  const init: RequestInit & { duplex: "half" } = {
    method: isForbidden ? PLACEHOLDER_METHOD : method,
    headers: toHeaders(incoming),
    // If some of the body has been read before, the stream fails when it is read.
    body: isForbidden ? null : openBody(incoming, outgoing),
    // `Request` refuses a streamed body without it.
    duplex: "half",
  };
  return withSignal(new Request(toUrl(incoming), init), getSignal);
}

/** The methods that the constructor of `Request` refuses. */
const FORBIDDEN_METHOD = /^(CONNECT|TRACE|TRACK)$/i;

/**
 * What an app sees in place of such a method. No operation has it either. Bun makes GET of a method
 * that it does not know.
 */
const PLACEHOLDER_METHOD = "UNLINK";

/**
 * Replaces two members of a request:
 *
 * - `signal` is made when it is asked for, because a signal in the constructor is slow.
 * - `clone()` gives the clone this signal. Otherwise it would have that of the constructor, which
 *   nothing aborts.
 */
function withSignal(request: Request, getSignal: () => AbortSignal): Request {
  return Object.defineProperties(request, {
    signal: { get: getSignal },
    clone: {
      value() {
        const signal = getSignal();
        return withSignal(new Request(Request.prototype.clone.call(request), { signal }), () => signal);
      },
    },
  });
}

/**
 * Stands for the path of a target without one, such as the `*` of OPTIONS. A URL needs a path, and
 * no operation has this one.
 */
const PLACEHOLDER_PATH = "/*";

/** The URL of a request. An absolute target overrides the Host header (RFC 9112 §3.2.2). */
function toUrl(incoming: NodeRequest): string {
  const target = targetAsSent(incoming);
  const isAbsolute = /^https?:/i.test(target) && URL.canParse(target);
  const origin = isAbsolute ? new URL(target).origin : originOf(incoming);
  return origin + (pathAndQueryOf(target) || PLACEHOLDER_PATH);
}

/** A Host that can be put into a URL: no character of it may begin the path (RFC 9112 §3.2). */
const HOST = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

function originOf({ headers, socket }: NodeRequest): string {
  const scheme = (socket as { encrypted?: boolean }).encrypted === true ? "https" : "http";
  const { host } = headers;
  const given = `${scheme}://${host}`;
  // The pattern also matches port 99999 and 999.999.999.999, which the parser refuses.
  return typeof host === "string" && HOST.test(host) && URL.canParse(given) ? given : `${scheme}://localhost`;
}

function toHeaders(incoming: NodeRequest): Headers {
  const headers = new Headers();
  const fields = namesAndValues(incoming);
  for (let i = 0; i + 1 < fields.length; i += 2) {
    headers.append(fields[i]!, fields[i + 1]!);
  }
  return headers;
}
