/**
 * Reads requests of `node:http` and `node:http2`, and makes a `Request` of one where an app needs it. The target stays as the client sent
 * it, because a proxy in front has decided by it.
 */

import type { NodeRequest, NodeResponse } from "./node_types.ts";

/** A Host that can be put into a URL: no character of it may begin the path (RFC 9112 §3.2). */
const HOST = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

/** The methods that the constructor of `Request` refuses. */
const FORBIDDEN_METHOD = /^(CONNECT|TRACE|TRACK)$/i;

/** What the URL parser would change in a target: odd characters and dot segments (WHATWG URL §4.4). */
const NOT_NORMAL = /[^!-~]|["#<>\\^`{|}]|\/(\.|%2e)/i;

/** The target as it was sent. Routers that strip a prefix from `url` keep it in `originalUrl`. */
export function sentTarget({ originalUrl, url = "/" }: NodeRequest): string {
  const target = originalUrl ?? url;
  if (!target.includes("\\")) return target;
  // The URL parser would make a slash of a backslash, and then see another path than a proxy in front.
  return target.replace(/^[^?#]*/, (path) => path.replaceAll("\\", "%5C"));
}

/** A dot segment. The URL parser would resolve it, and then see another path than a proxy in front. */
const DOT_SEGMENT = /(?<=\/)(\.|%2e){1,2}(?=\/|$)/gi;

/**
 * The path and the query of a target, or `""` if it has none. Dot segments are encoded twice, so that nothing resolves
 * them.
 */
export function targetOfRequest(target: string): string {
  if (target.startsWith("/") && !NOT_NORMAL.test(target)) return target;
  const kept = target.replace(
    /^[^?#]*/,
    // The parser would drop tabs and line ends, and then might find a dot segment.
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
  // The pattern also matches port 99999 and 999.999.999.999, which the parser refuses.
  return typeof host === "string" && HOST.test(host) && URL.canParse(given) ? given : `${scheme}://localhost`;
}

/** @param gone Makes the signal that is aborted when the client leaves. */
export function toRequest(incoming: NodeRequest, outgoing: NodeResponse, gone: () => AbortSignal): Request {
  const { method = "GET" } = incoming;
  const isForbidden = FORBIDDEN_METHOD.test(method);
  const init: RequestInit & { duplex: "half" } = {
    method: isForbidden ? "POST" : method,
    headers: toHeaders(incoming),
    duplex: "half",
  };
  const kept = keptBody(incoming);
  const wasRead = incoming.readableDidRead && kept === undefined;
  if (!isForbidden && hasBody(incoming)) {
    init.body = wasRead ? new Uint8Array() : kept ?? toAppStream(incoming, outgoing);
  }
  const request = new Request(toUrl(incoming), init);
  return Object.defineProperties(request, {
    // The signal is made when it is asked for, because a signal in the constructor is slow.
    signal: { get: gone },
    clone: { value: () => new Request(Request.prototype.clone.call(request), { signal: gone() }) },
    // The constructor changes some methods, such as `get`, to upper case.
    method: { value: method },
    // The body has been read before, and reading it again would never end. So the request says that it was used.
    ...wasRead && init.body !== undefined && { bodyUsed: { value: true } },
  });
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

/** Requests without a socket, as on serverless-http, have `headers` alone. */
function fieldsOf({ rawHeaders, headers }: NodeRequest): readonly string[] {
  if (rawHeaders?.length > 0) return rawHeaders;
  return Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [name, String(value)]);
}

/** The value of a field, or null. It is not taken from `headers`, where Node drops some repeated fields. */
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

/** Whether a request may have a body. On HTTP/2, a body need not be announced. */
export function hasBody(incoming: NodeRequest): boolean {
  const { method = "GET", httpVersionMajor = 1 } = incoming;
  // HTTP/2 permits `get`, which the constructor of `Request` takes for GET.
  if (/^(GET|HEAD)$/i.test(method)) return false;
  return httpVersionMajor > 1 || Number(fieldOf(incoming, "content-length") ?? 0) > 0 ||
    fieldOf(incoming, "transfer-encoding") !== null;
}

/** The body that the host has read before and kept as bytes. It is absent if the body has not been read, or has not been kept. */
export function keptBody({ readableDidRead, rawBody }: NodeRequest): Uint8Array<ArrayBuffer> | undefined {
  return readableDidRead && rawBody instanceof Uint8Array ? rawBody as Uint8Array<ArrayBuffer> : undefined;
}

/**
 * How long the rest of a body is kept after the response was sent, in milliseconds, if the app asks for no further piece. An app may still
 * read a body that it wants to write to its log.
 */
const REST_TIMEOUT = 1000;

/** The body as a stream. Node discards a body that nothing reads. */
export function toStream(incoming: NodeRequest): ReadableStream<Uint8Array> {
  return new ReadableStream(new BodySource(incoming), { highWaterMark: 0 });
}

/**
 * The body as a stream for the app, which may read a part of it and forget the rest. Node would then never read the next request of the
 * connection, so the rest is discarded some time after the response was sent.
 */
function toAppStream(incoming: NodeRequest, outgoing: NodeResponse): ReadableStream<Uint8Array> {
  const source = new BodySource(incoming);
  outgoing.on("finish", () => source.discardWhenIdle());
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** `idle` means that a part was read, and that the app does not wait for more of it. */
type BodyState = "unread" | "reading" | "idle" | "over";

/** The source of a stream that reads the body of a request of Node. */
class BodySource {
  readonly #incoming: NodeRequest;
  readonly #pieces: AsyncIterator<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #state: BodyState = "unread";
  #isDiscardedWhenIdle = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(incoming: NodeRequest) {
    this.#incoming = incoming;
    // By default, the end of the iteration would destroy the connection, which the response still needs.
    this.#pieces = incoming.iterator({ destroyOnReturn: false });
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#controller = controller;
    this.#enter("reading");
    const { done, value } = await this.#pieces.next();
    if (done) controller.close();
    else controller.enqueue(new Uint8Array(value));
    this.#enter(done ? "over" : "idle");
  }

  async cancel(): Promise<void> {
    this.#enter("over");
    await this.#pieces.return?.();
    // The rest of the body is discarded, so that the next request on the connection can be read.
    this.#incoming.resume();
  }

  discardWhenIdle(): void {
    this.#isDiscardedWhenIdle = true;
    this.#enter(this.#state);
  }

  #enter(state: BodyState): void {
    this.#state = state;
    clearTimeout(this.#timer);
    if (state === "idle" && this.#isDiscardedWhenIdle) this.#timer = setTimeout(() => this.#discard(), REST_TIMEOUT);
  }

  #discard(): void {
    this.#controller?.error(new TypeError("The rest of the request body was discarded, because the response was sent"));
    void this.cancel();
  }
}
