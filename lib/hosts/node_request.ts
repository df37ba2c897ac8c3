/** Converts Node's request to a `Request` for code of the app. */

import type { NodeRequest } from "./node_types.ts";

/** A host and port, without characters that would change the path of a URL (RFC 9112 §3.2). */
const HOST = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

/** Clients can send these methods, but the constructor of `Request` refuses them. */
const FORBIDDEN_METHOD = /^(CONNECT|TRACE|TRACK)$/i;

/** A character or a dot segment that the URL parser would change (WHATWG URL §4.4). */
const NOT_NORMAL = /[^!-~]|["#<>\\^`{|}]|\/(\.|%2e)/i;

/** Routers that strip a prefix keep the whole target in `originalUrl`. */
export function sentTarget({ originalUrl, url = "/" }: NodeRequest): string {
  const target = originalUrl ?? url;
  if (!target.includes("\\")) return target;
  // The URL parser would take it for a slash, and see another path than a proxy in front of the server.
  return target.replace(/^[^?#]*/, (path) => path.replaceAll("\\", "%5C"));
}

/** A dot segment. The URL parser would resolve it, and see another path than a proxy in front of the server. */
const DOT_SEGMENT = /(?<=\/)(\.|%2e){1,2}(?=\/|$)/gi;

/** Path and query, as in the URL of a `Request`. Dot segments are encoded twice, so that nothing resolves them. */
export function targetOfRequest(target: string): string {
  if (target.startsWith("/") && !NOT_NORMAL.test(target)) return target;
  const kept = target.replace(
    /^[^?#]*/,
    // The parser would leave these characters out, and then find a dot segment.
    (path) => path.replace(/[\t\n\r]/g, encodeURIComponent).replace(DOT_SEGMENT, encodeDots),
  );
  const whole = kept.startsWith("/") ? `http://localhost${kept}` : kept;
  // The forms `*` and `host:port` (RFC 9112 §3.2) have no path.
  if (!/^https?:/i.test(whole) || !URL.canParse(whole)) return "";
  const { pathname, search } = new URL(whole);
  return pathname + search;
}

function encodeDots(segment: string): string {
  return segment.replace(/\.|%2e/gi, "%252e");
}

/** The URL of the request. If the target is absolute, the Host header is ignored (RFC 9112 §3.2.2). */
function toUrl(incoming: NodeRequest): string {
  const target = sentTarget(incoming);
  const isAbsolute = /^https?:/i.test(target) && URL.canParse(target);
  const origin = isAbsolute ? new URL(target).origin : originOf(incoming);
  return origin + (targetOfRequest(target) || "/*");
}

function originOf({ headers, socket }: NodeRequest): string {
  const scheme = (socket as { encrypted?: boolean }).encrypted === true ? "https" : "http";
  const host = headers[":authority"] ?? headers["host"];
  const given = `${scheme}://${host}`;
  // The pattern alone would accept port 99999 and 999.999.999.999.
  return typeof host === "string" && HOST.test(host) && URL.canParse(given) ? given : `${scheme}://localhost`;
}

/** Creates a `Request`. Its body is read on demand. */
export function toRequest(incoming: NodeRequest, gone: () => AbortSignal): Request {
  const { method = "GET" } = incoming;
  const isForbidden = FORBIDDEN_METHOD.test(method);
  const init: RequestInit & { duplex: "half" } = {
    method: isForbidden ? "POST" : method,
    headers: toHeaders(incoming),
    duplex: "half",
  };
  const wasRead = incoming.readableDidRead;
  if (!isForbidden && hasBody(incoming)) init.body = wasRead ? new Uint8Array() : toStream(incoming);
  const request = new Request(toUrl(incoming), init);
  return Object.defineProperties(request, {
    // Made on demand: passing one to the constructor would triple the cost of a request.
    signal: { get: gone },
    clone: { value: () => new Request(Request.prototype.clone.call(request), { signal: gone() }) },
    // The constructor changes some methods to upper case, but HTTP methods are case-sensitive.
    method: { value: method },
    // Reading a body that was read before would never end.
    ...wasRead && init.body !== undefined && { bodyUsed: { value: true } },
  });
}

function toHeaders(incoming: NodeRequest): Headers {
  const headers = new Headers();
  const fields = fieldsOf(incoming);
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? "";
    // In HTTP/2, the raw headers include `:method` and `:path`.
    if (!name.startsWith(":")) headers.append(name, fields[i + 1] ?? "");
  }
  return headers;
}

/** Names and values in turn. Requests that no socket has received, such as those of serverless-http, have `headers` alone. */
function fieldsOf({ rawHeaders, headers }: NodeRequest): readonly string[] {
  if (rawHeaders?.length > 0) return rawHeaders;
  return Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [name, String(value)]);
}

/** The value of a field by its lower-case name, or `null`. Not from `headers`, which keeps only the first of some repeated fields. */
export function fieldOf(incoming: NodeRequest, name: string): string | null {
  const fields = fieldsOf(incoming);
  let value: string | null = null;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const field = fields[i]!;
    if (field.length !== name.length || (field !== name && field.toLowerCase() !== name)) continue;
    value = value === null ? fields[i + 1]! : `${value}, ${fields[i + 1]}`;
  }
  return value;
}

/** Whether there may be a body. In HTTP/2, the headers need not announce one. */
export function hasBody(incoming: NodeRequest): boolean {
  const { method, httpVersionMajor = 1 } = incoming;
  if (method === "GET" || method === "HEAD") return false;
  return httpVersionMajor > 1 || Number(fieldOf(incoming, "content-length") ?? 0) > 0 ||
    fieldOf(incoming, "transfer-encoding") !== null;
}

/** The body as a stream, read on demand. If nothing reads it, Node discards the body by itself. */
export function toStream(incoming: NodeRequest): ReadableStream<Uint8Array> {
  // Ending it must not destroy the connection, on which the response is still to be sent.
  const pieces = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    async cancel() {
      await pieces.return?.();
      // Discards the rest, so that the connection stays usable.
      incoming.resume();
    },
  }, { highWaterMark: 0 });
}
