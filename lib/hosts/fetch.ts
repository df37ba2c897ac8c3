import { discard } from "../promises.ts";
import { ON_BUN, ON_DENO } from "../http/platform.ts";
import {
  cancelBody,
  copyWithHeaders,
  type HeaderFields,
  KeptReply,
  type Reply,
  requireSendableHeaders,
} from "../http/reply.ts";
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
      return Promise.resolve(pipeline.respond(context, (reply) => sendableResponse(reply, context, pipeline)));
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

/** Makes the response of a reply. If the reply has a `Response` of an app that cannot be sent, the response is that of the failure. */
export function sendableResponse(reply: Reply, context: RequestContext, { fail }: Pick<Pipeline, "fail">): Response {
  try {
    return toResponse(reply);
  } catch (thrown) {
    // The source of the body is told that it will not be read.
    cancelBody(reply.body);
    return toResponse(fail(thrown, context));
  }
}

/** Whether a clone of a `Response` with a text is cheaper than a new one. Elsewhere, it would split a stream. */
const CLONES_TEXT = ON_BUN || ON_DENO;

function toResponse(reply: Reply): Response {
  const { status, headers, body } = reply;
  if (body instanceof Response) return extendResponse(body, headers);
  if (!CLONES_TEXT || !(reply instanceof KeptReply)) return new Response(body, { status, headers });
  // A new `Response` holds its bytes twice on Deno, and a clone does not. So what is kept to be cloned is itself a clone.
  reply.template ??= new Response(body, { status, headers }).clone();
  return reply.template.clone();
}

/** An app's response with the further headers of a reply. */
function extendResponse(response: Response, extra: HeaderFields): Response {
  // `takeResponse()`, which made a reply of the app's response, has refused headers that cannot be sent.
  if (Object.keys(extra).length === 0) return response;
  const headers = sendableHeaders(response, extra);
  // Bun adds the Content-Type of a text when it sends the response that was made of it, or a clone. A new response of its body has none.
  const needsClone = ON_BUN && !headers.has("content-type");
  return needsClone ? cloneWithHeaders(response, extra) : copyWithHeaders(response, headers);
}

function cloneWithHeaders(response: Response, extra: HeaderFields): Response {
  const clone = response.clone();
  // If the body is a stream, the clone alone reads it from now on.
  discard(response.body);
  for (const [name, value] of Object.entries(extra)) clone.headers.append(name, value);
  return clone;
}

/**
 * The headers of a response with further ones.
 *
 * @throws {TypeError} If one cannot be sent.
 */
export function sendableHeaders(response: Response, extra: HeaderFields): Headers {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(extra)) headers.append(name, value);
  requireSendableHeaders(headers);
  return headers;
}
