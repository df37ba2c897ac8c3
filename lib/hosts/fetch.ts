/** The Fetch standard's `Request` and `Response`, which Deno, Bun, Workers and most frameworks speak. */

import type { Answer } from "../http/answer.ts";
import type { BodyReader, Caller, Exchange } from "../http/exchange.ts";
import type { Pipeline } from "../http/pipeline.ts";
import { targetOf } from "../http/routing.ts";
import { isPending } from "../pending.ts";

/** Answers a `Request`. */
export type Handle = (request: Request) => Promise<Response>;

/** The pipeline of each `handle`, so that another adapter can use it directly. An app's own handle has no pipeline. */
const PIPELINES = new WeakMap<object, Pipeline>();

/** Makes the `handle` of a pipeline. */
export function createHandle(pipeline: Pipeline): Handle {
  const handle: Handle = (request) => {
    if (!isRequest(request)) return Promise.reject(notARequest(request));
    const exchange = new FetchExchange(request);
    const answer = pipeline.respond(exchange);
    return isPending(answer)
      ? answer.then((answer) => sendAnswer(answer, exchange, pipeline))
      : Promise.resolve(sendAnswer(answer, exchange, pipeline));
  };
  PIPELINES.set(handle, pipeline);
  return handle;
}

/** The pipeline of a `handle` that {@link createHandle} has made. */
export function pipelineOf(handle: object): Pipeline | undefined {
  return PIPELINES.get(handle);
}

/** A `Request` as an exchange. */
export class FetchExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  caller?: Caller;
  readonly #request: Request;
  readonly #headers: Headers;

  constructor(request: Request) {
    this.#request = request;
    // Asked for once: its getter costs as much as a look-up.
    this.#headers = request.headers;
    this.method = request.method;
    this.target = targetOf(request.url);
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

  openBody(): BodyReader | undefined {
    const { body } = this.#request;
    return body === null ? undefined : openReader(body);
  }

  toRequest(): Request {
    return this.#request;
  }
}

/** The response for an answer. An app's own response can be impossible to send; then the answer tells of that. */
export function sendAnswer(answer: Answer, exchange: Exchange, { fail }: Pipeline): Response {
  try {
    return toResponse(answer);
  } catch (thrown) {
    return toResponse(fail(thrown, exchange));
  }
}

function toResponse({ status, headers, body }: Answer): Response {
  if (typeof body === "object" && body instanceof Response) return extendResponse(body, headers);
  return new Response(body, { status, headers });
}

/** An app's response with further headers. Its body is passed on unread. */
function extendResponse(response: Response, extra: Answer["headers"]): Response {
  const added = Object.entries(extra);
  if (added.length === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of added) headers.append(name, value);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}

/** The bytes that a host is asked to fill at a time. */
const PIECE_BUFFER = 65_536;

/** A reader that lends the host one buffer again and again, where it takes one: a new one for each piece costs more. */
function openReader(body: ReadableStream<Uint8Array>): BodyReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    // A stream that an app, or a host, has made of whole pieces.
    return body.getReader();
  }
  let buffer = new ArrayBuffer(PIECE_BUFFER);
  const read = async () => {
    const result = await reader.read(new Uint8Array(buffer));
    if (result.value) buffer = result.value.buffer;
    return result;
  };
  return { read, cancel: () => reader.cancel() };
}

/** A `Request` of another realm, or of a polyfill, counts by its members. */
function isRequest(request: unknown): request is Request {
  if (request instanceof Request) return true;
  const { url, headers } = (request ?? {}) as Partial<Request>;
  return typeof url === "string" && typeof headers?.get === "function";
}

function notARequest(given: unknown): TypeError {
  const isNode = typeof given === "object" && given !== null && "rawHeaders" in given;
  return new TypeError(
    isNode
      ? "handle() takes a Request; for node:http, pass createNodeListener(petstore) of @petstore/petstore/node to createServer()"
      : "handle() takes a Request, such as handle(new Request(url))",
  );
}
