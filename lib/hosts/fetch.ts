import { BROKEN_OFF, type HeaderFields, KeptReply, type Reply } from "../http/reply.ts";
import { ON_BUN, ON_DENO } from "../http/platform.ts";
import type { Caller, RequestContext } from "../http/context.ts";
import type { Pipeline } from "../http/pipeline.ts";
import { targetOf } from "../http/request_text.ts";

/** What `Deno.serve` tells of the connection of a request. */
interface Connection {
  readonly remoteAddr: { readonly hostname: string };
}

export type ServingPipeline = Pick<Pipeline, "respond" | "fail">;

/** Answers a `Request`. Further arguments, as hosts pass them, are ignored. */
export type Handle = (request: Request) => Promise<Response>;

/**
 * The pipeline behind each `handle`. A host that gets no `Request`, such as `node:http`, calls the pipeline itself, and need not make one for
 * `handle`. The pipeline is found by identity alone: a proxy of a `handle`, or a function with its members, is a wrapper of the app, and must
 * not be bypassed.
 */
const PIPELINES = new WeakMap<object, ServingPipeline>();

const NOT_A_REQUEST = "handle() takes a Request; node:http needs createNodeListener()";

export function createHandles(pipeline: ServingPipeline): { handle: Handle; fetch: Handle } {
  const handle: Handle = (request) => {
    try {
      const headers = request?.headers;
      // A Request may come from another realm or from a polyfill, so its class is not asked.
      if (typeof headers?.get !== "function") throw new TypeError(NOT_A_REQUEST);
      const context = new FetchContext(request, headers);
      return Promise.resolve(pipeline.respond(context, toResponse));
    } catch (thrown) {
      // The members of what is no real Request may throw.
      return Promise.reject(thrown);
    }
  };
  PIPELINES.set(handle, pipeline);
  return { handle, fetch: handle };
}

/** Finds the pipeline of a petstore. It is undefined if {@link createHandles} has not made the `handle` of the service. */
export function pipelineOf(service: { handle?: unknown } | undefined): ServingPipeline | undefined {
  return PIPELINES.get(service?.handle as Handle);
}

/** A `Request` as the pipeline sees it. What costs time is read from it only when it is needed. */
export class FetchContext implements RequestContext {
  readonly method: string;
  arrivedAt?: number;
  route?: string | undefined;
  caller?: Caller;
  fields?: HeaderFields;
  requestId?: string;
  readonly #request: Request;
  /** What the functions of an app get on Deno in place of a request with `Upgrade`; see `toRequest()`. */
  #upgradeCopy: Request | undefined;
  readonly #headers: Headers;
  readonly #connection: Connection | undefined;
  #target: string | undefined;

  constructor(request: Request, headers: Headers, connection?: Connection) {
    this.#request = request;
    this.#headers = headers;
    this.#connection = connection;
    this.method = request.method;
  }

  /** The target is taken from the URL when it is needed: a request that is refused needs none, and Bun makes it on demand. */
  get target(): string {
    return this.#target ??= targetOf(this.#request.url);
  }

  /** The address is asked of the connection when it is needed, because Deno makes it on demand. */
  get client(): string | undefined {
    return this.#connection?.remoteAddr.hostname;
  }

  /** A kept response is found by the whole URL, because the target would have to be parsed out of it. */
  get targetKey(): string {
    return this.#request.url;
  }

  get bodyUsed(): boolean {
    return this.#request.bodyUsed;
  }

  header(name: string): string | null {
    return this.#headers.get(name);
  }

  readBody(): Promise<ArrayBuffer> {
    return this.#request.arrayBuffer();
  }

  openBody(): ReadableStream<Uint8Array> | null {
    return this.#request.body;
  }

  toRequest(): Request {
    const request = this.#request;
    if (!ON_DENO || !this.header("upgrade")) return request;
    // If an app makes a WebSocket of its request on Deno, and the response is not that of the WebSocket, `Deno.serve` stops for good. A copy
    // of the request cannot be made one. After the body was read, there is a copy of the head alone.
    return this.#upgradeCopy ??= request.bodyUsed
      ? new Request(request.url, { method: this.method, headers: this.#headers })
      : request.clone();
  }
}

/** Whether a clone of a `Response` with a text is cheaper than a new one. Elsewhere, it would split a stream. */
const CLONES_TEXT = ON_BUN || ON_DENO;

/** Makes the response of a reply. */
export function toResponse(reply: Reply): Response {
  if (CLONES_TEXT && reply instanceof KeptReply) {
    // A new `Response` holds its bytes twice on Deno, and a clone does not. So what is kept to be cloned is itself a clone.
    reply.template ??= createResponse(reply).clone();
    return reply.template.clone();
  }
  return createResponse(reply);
}

function createResponse({ status, headers, cookies, body }: Reply): Response {
  const isLarge = ON_DENO && body instanceof Uint8Array && body.byteLength > PIECE_BYTES;
  const response = isLarge
    ? new Response(inPieces(body), { status, headers: { ...headers, "content-length": String(body.byteLength) } })
    : new Response(body === BROKEN_OFF ? failingBody() : body, { status, headers });
  if (cookies) { for (const cookie of cookies) response.headers.append("set-cookie", cookie); }
  return response;
}

/** The size, in bytes, of the pieces in which a large body is sent. */
const PIECE_BYTES = 16_384;

/**
 * Gives out a body in pieces, each when the client has taken the one before. Deno would copy a body of bytes as a whole, for each client, also
 * for one that does not read.
 */
function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(sent, sent + PIECE_BYTES));
      sent += PIECE_BYTES;
      if (sent >= bytes.byteLength) controller.close();
    },
  }, { highWaterMark: 0 });
}

function failingBody(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull: (controller) => controller.error(new TypeError("The connection was cut, which is a fault on purpose")),
  });
}
