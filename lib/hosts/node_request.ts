/** Makes a `Request` of a request of `node:http` or `node:http2`, where a function of the app needs one. */

import { hasBody, isTaken, keptBody, toStream } from "./node_body.ts";
import { fieldsOf, sentTarget, targetOfRequest } from "./node_head.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/** The methods that the constructor of `Request` refuses. */
const FORBIDDEN_METHOD = /^(CONNECT|TRACE|TRACK)$/i;

/**
 * @param outgoing The response. When it has been sent, the rest of the body is discarded.
 * @param gone Makes the signal that is aborted when the client leaves.
 */
export function toRequest(incoming: NodeRequest, outgoing: NodeResponse, gone: () => AbortSignal): Request {
  const { method = "GET" } = incoming;
  const isForbidden = FORBIDDEN_METHOD.test(method);
  const init: RequestInit & { duplex: "half" } = {
    method: isForbidden ? "POST" : method,
    headers: toHeaders(incoming),
    duplex: "half",
  };
  const kept = keptBody(incoming);
  const wasRead = isTaken(incoming);
  if (!isForbidden && hasBody(incoming)) {
    init.body = wasRead ? new Uint8Array() : kept ?? toStream(incoming, outgoing);
  }
  const request = new Request(toUrl(incoming), init);
  const properties: PropertyDescriptorMap = {
    // The signal is made when it is asked for, because a signal in the constructor is slow.
    signal: { get: gone },
    clone: { value: () => new Request(Request.prototype.clone.call(request), { signal: gone() }) },
    // The constructor changes some methods, such as `get`, to upper case.
    method: { value: method },
  };
  // The body has been read before, and reading it again would never end. So the request says that it was used.
  if (wasRead && init.body !== undefined) properties["bodyUsed"] = { value: true };
  return Object.defineProperties(request, properties);
}

/** An absolute target overrides the Host header (RFC 9112 §3.2.2). */
function toUrl(incoming: NodeRequest): string {
  const target = sentTarget(incoming);
  const isAbsolute = /^https?:/i.test(target) && URL.canParse(target);
  const origin = isAbsolute ? new URL(target).origin : originOf(incoming);
  // A target without a path, such as the `*` of OPTIONS, needs a path here that no operation has.
  return origin + (targetOfRequest(target) || "/*");
}

/** A Host that can be put into a URL: no character of it may begin the path (RFC 9112 §3.2). */
const HOST = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

function originOf({ headers, socket }: NodeRequest): string {
  const scheme = (socket as { encrypted?: boolean }).encrypted === true ? "https" : "http";
  const host = headers[":authority"] ?? headers["host"];
  const given = `${scheme}://${host}`;
  // The pattern also matches port 99999 and 999.999.999.999, which the parser refuses.
  return typeof host === "string" && HOST.test(host) && URL.canParse(given) ? given : `${scheme}://localhost`;
}

function toHeaders(incoming: NodeRequest): Headers {
  const headers = new Headers();
  const fields = fieldsOf(incoming);
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? "";
    // On HTTP/2, `:method` and the like are among the raw headers.
    if (!name.startsWith(":")) headers.append(name, fields[i + 1] ?? "");
  }
  return headers;
}
