/** Node's request as the Fetch standard's, for apps' own code. */

import type { NodeRequest } from "./node_types.ts";

/** A host and port as they may stand in a URL, and nothing that would change the path (RFC 9112 §3.2). */
const HOST = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

/** Methods that the constructor of `Request` refuses, although clients can send them. */
const FORBIDDEN_METHOD = /^(CONNECT|TRACE|TRACK)$/i;

/** A character or a dot segment that a URL has in another form (WHATWG URL §4.4). */
const NOT_NORMAL = /[^!-~]|["#<>\\^`{|}]|\/(\.|%2e)/i;

/** Path and query, as a `Request` would have them. Routers that strip a prefix keep the whole in `originalUrl`. */
export function targetOfRequest({ originalUrl, url = "/" }: NodeRequest): string {
  const target = originalUrl ?? url;
  if (target.startsWith("/") && !NOT_NORMAL.test(target)) return target;
  const whole = target.startsWith("/") ? `http://localhost${target}` : target;
  // `*` and an authority alone (RFC 9112 §3.2) have no path.
  if (!/^https?:/i.test(whole) || !URL.canParse(whole)) return "";
  const { pathname, search } = new URL(whole);
  return pathname + search;
}

/** The URL that the client asked for. An absolute target makes the Host header irrelevant (RFC 9112 §3.2.2). */
function toUrl(incoming: NodeRequest): string {
  const target = incoming.originalUrl ?? incoming.url ?? "/";
  if (/^https?:/i.test(target) && URL.canParse(target)) {
    // Without a user and a password, which the constructor of Request refuses.
    const { origin, pathname, search } = new URL(target);
    return origin + pathname + search;
  }
  const scheme = (incoming.socket as { encrypted?: boolean }).encrypted === true ? "https" : "http";
  const host = incoming.headers[":authority"] ?? incoming.headers["host"];
  const given = `${scheme}://${host}`;
  // The form alone does not make a host: port 99999 and 999.999.999.999 have it too.
  const origin = typeof host === "string" && HOST.test(host) && URL.canParse(given) ? given : `${scheme}://localhost`;
  return origin + (target.startsWith("/") ? target : "/*");
}

/** Its signal is made when it is asked for: to pass one to the constructor costs twice as much as all the rest of it. */
class IncomingRequest extends Request {
  readonly gone: () => AbortSignal;

  constructor(url: string, init: RequestInit, gone: () => AbortSignal) {
    super(url, init);
    this.gone = gone;
  }
}

// Not written in the class: some declarations of `Request` have members where others have accessors.
Object.defineProperties(IncomingRequest.prototype, {
  signal: {
    get(this: IncomingRequest) {
      return this.gone();
    },
  },
  clone: {
    value(this: IncomingRequest) {
      return new Request(Request.prototype.clone.call(this), { signal: this.gone() });
    },
  },
});

/** The request as the Fetch standard has it. Its body is read only when it is asked for. */
export function toRequest(incoming: NodeRequest, gone: () => AbortSignal): Request {
  const { method = "GET" } = incoming;
  const isForbidden = FORBIDDEN_METHOD.test(method);
  const init: RequestInit & { duplex: "half" } = {
    method: isForbidden ? "POST" : method,
    headers: toHeaders(incoming.rawHeaders),
    duplex: "half",
  };
  const wasRead = incoming.readableDidRead;
  if (!isForbidden && hasBody(incoming)) init.body = wasRead ? new Uint8Array() : toStream(incoming);
  const request = new IncomingRequest(toUrl(incoming), init, gone);
  // The constructor writes some methods in capitals, which HTTP does not do.
  if (request.method !== method) Object.defineProperty(request, "method", { value: method });
  // To wait for a body that has been read would be to wait for ever.
  if (wasRead && init.body !== undefined) Object.defineProperty(request, "bodyUsed", { value: true });
  return request;
}

function toHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? "";
    // HTTP/2 has its method and path among the headers.
    if (!name.startsWith(":")) headers.append(name, raw[i + 1] ?? "");
  }
  return headers;
}

/** Whether there may be a body. HTTP/2 does not announce one. */
export function hasBody({ method, headers, httpVersionMajor = 1 }: NodeRequest): boolean {
  if (method === "GET" || method === "HEAD") return false;
  return httpVersionMajor > 1 || headers["transfer-encoding"] !== undefined ||
    Number(headers["content-length"] ?? 0) > 0;
}

/** The body, read as fast as it is asked for. It is left alone until then: Node discards a body that is not read. */
export function toStream(incoming: NodeRequest): ReadableStream<Uint8Array> {
  let isBegun = false;
  let isDone = false;
  function begin(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const finish = (end: () => void) => {
      if (!isDone) end();
      isDone = true;
    };
    const fail = (error?: unknown) => finish(() => controller.error(error ?? new Error("The client left")));
    if (incoming.destroyed) return fail();
    incoming.on("data", (piece) => {
      if (isDone) return;
      incoming.pause();
      controller.enqueue(new Uint8Array(piece as Uint8Array));
    });
    incoming.on("end", () => finish(() => controller.close()));
    incoming.on("error", fail);
    // It also comes after a whole body, and changes nothing then.
    incoming.on("close", () => fail());
  }
  return new ReadableStream({
    pull(controller) {
      if (!isBegun) begin(controller);
      isBegun = true;
      incoming.resume();
    },
    cancel() {
      isDone = true;
      // The rest is discarded as it arrives, so that the connection stays usable.
      incoming.resume();
    },
  }, { highWaterMark: 0 });
}
