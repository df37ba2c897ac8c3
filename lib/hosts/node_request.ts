/** From Node's request to the Fetch standard's. */

import type { NodeRequest } from "./node_types.ts";

/** A host and port as they may stand in a URL, and nothing that would change what the path is (RFC 9112 §3.2). */
const HOST = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

/** Methods that the constructor of `Request` refuses; a server is asked for them all the same. */
const FORBIDDEN_METHOD = /^(CONNECT|TRACE|TRACK)$/i;

/** Its signal is made when somebody asks for it: handing one to the constructor costs twice what all else of it does. */
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

/** The request as the Fetch standard has it; its body is read only when it is asked for. */
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
  // Normalised by the constructor to capitals, which HTTP does not do.
  if (request.method !== method) Object.defineProperty(request, "method", { value: method });
  // Whoever waited for a body that a parser has eaten would wait for ever.
  if (wasRead && init.body !== undefined) Object.defineProperty(request, "bodyUsed", { value: true });
  return request;
}

/** The URL that the client asked for. Routers that strip a prefix keep the whole in `originalUrl`. */
function toUrl(incoming: NodeRequest): string {
  const { headers, socket, url = "/" } = incoming;
  const scheme = (socket as { encrypted?: boolean }).encrypted === true ? "https" : "http";
  const { host = "" } = headers;
  const given = `${scheme}://${host}`;
  // The form alone does not make a host: port 99999 and 999.999.999.999 are none.
  const origin = typeof host === "string" && HOST.test(host) && URL.canParse(given) ? given : `${scheme}://localhost`;
  const target = incoming.originalUrl ?? url;
  if (target.startsWith("/")) return origin + target;
  // The absolute form is for proxies, but every server has to take it (RFC 9112 §3.2.2); `*` is a path of none.
  const { pathname, search } = URL.canParse(target) ? new URL(target) : { pathname: "/*", search: "" };
  return origin + pathname + search;
}

/** From the raw list: of some fields that come twice, Node's object keeps the first and drops the other. */
function toHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? "";
    // HTTP/2 has its method and path among the headers.
    if (!name.startsWith(":")) headers.append(name, raw[i + 1] ?? "");
  }
  return headers;
}

function hasBody({ method, headers }: NodeRequest): boolean {
  if (method === "GET" || method === "HEAD") return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** The body, read as fast as it is asked for. Not touched before: a body that nobody reads is thrown away by Node. */
function toStream(incoming: NodeRequest): ReadableStream<Uint8Array> {
  let isBegun = false;
  let isDone = false;
  function begin(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const finish = (end: () => void) => {
      if (!isDone) end();
      isDone = true;
    };
    const fail = (error?: unknown) => finish(() => controller.error(error ?? new Error("The client went away")));
    if (incoming.destroyed) return fail();
    incoming.on("data", (piece) => {
      if (isDone) return;
      incoming.pause();
      controller.enqueue(new Uint8Array(piece as Uint8Array));
    });
    incoming.on("end", () => finish(() => controller.close()));
    incoming.on("error", fail);
    // It comes after a whole body too, and is late then.
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
      // What still arrives is thrown away, as if nobody had read any of it, so that the connection stays usable.
      incoming.resume();
    },
  }, { highWaterMark: 0 });
}
