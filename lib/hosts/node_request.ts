import type { NodeRequest } from "./node_types.ts";

/** No character may change the path of a URL (RFC 9112 §3.2). */
const HOST = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

/** `Request` refuses these methods. */
const FORBIDDEN_METHOD = /^(CONNECT|TRACE|TRACK)$/i;

/** The URL parser would change these (WHATWG URL §4.4). */
const NOT_NORMAL = /[^!-~]|["#<>\\^`{|}]|\/(\.|%2e)/i;

/** Routers that strip a prefix keep the target here. */
export function sentTarget({ originalUrl, url = "/" }: NodeRequest): string {
  const target = originalUrl ?? url;
  if (!target.includes("\\")) return target;
  // The URL parser would make it a slash, unlike a proxy in front.
  return target.replace(/^[^?#]*/, (path) => path.replaceAll("\\", "%5C"));
}

/** The URL parser would resolve these, unlike a proxy in front. */
const DOT_SEGMENT = /(?<=\/)(\.|%2e){1,2}(?=\/|$)/gi;

/** Encodes dot segments twice, so that nothing resolves them. */
export function targetOfRequest(target: string): string {
  if (target.startsWith("/") && !NOT_NORMAL.test(target)) return target;
  const kept = target.replace(
    /^[^?#]*/,
    // The parser would drop these characters, and then find a dot segment.
    (path) => path.replace(/[\t\n\r]/g, encodeURIComponent).replace(DOT_SEGMENT, encodeDots),
  );
  const whole = kept.startsWith("/") ? `http://localhost${kept}` : kept;
  // `*` and `host:port` (RFC 9112 §3.2) have no path.
  if (!/^https?:/i.test(whole) || !URL.canParse(whole)) return "";
  const { pathname, search } = new URL(whole);
  return pathname + search;
}

function encodeDots(segment: string): string {
  return segment.replace(/\.|%2e/gi, "%252e");
}

/** An absolute target overrides the Host header (RFC 9112 §3.2.2). */
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
  // The pattern accepts port 99999 and 999.999.999.999.
  return typeof host === "string" && HOST.test(host) && URL.canParse(given) ? given : `${scheme}://localhost`;
}

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
    // On demand, because a signal in the constructor is slow.
    signal: { get: gone },
    clone: { value: () => new Request(Request.prototype.clone.call(request), { signal: gone() }) },
    // The constructor changes some methods to upper case.
    method: { value: method },
    // Reading the body again would never end.
    ...wasRead && init.body !== undefined && { bodyUsed: { value: true } },
  });
}

function toHeaders(incoming: NodeRequest): Headers {
  const headers = new Headers();
  const fields = fieldsOf(incoming);
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? "";
    // HTTP/2 has raw headers such as `:method`.
    if (!name.startsWith(":")) headers.append(name, fields[i + 1] ?? "");
  }
  return headers;
}

/** Requests without a socket, as on serverless-http, have `headers` alone. */
function fieldsOf({ rawHeaders, headers }: NodeRequest): readonly string[] {
  if (rawHeaders?.length > 0) return rawHeaders;
  return Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [name, String(value)]);
}

/** Not from `headers`, which drops some repeated fields. */
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

/** HTTP/2 need not announce a body. */
export function hasBody(incoming: NodeRequest): boolean {
  const { method, httpVersionMajor = 1 } = incoming;
  if (method === "GET" || method === "HEAD") return false;
  return httpVersionMajor > 1 || Number(fieldOf(incoming, "content-length") ?? 0) > 0 ||
    fieldOf(incoming, "transfer-encoding") !== null;
}

/** Node discards a body that nothing reads. */
export function toStream(incoming: NodeRequest): ReadableStream<Uint8Array> {
  // Ending it must not destroy the connection.
  const pieces = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    async cancel() {
      await pieces.return?.();
      // Keeps the connection usable.
      incoming.resume();
    },
  }, { highWaterMark: 0 });
}
