import { Notes, type RequestContext } from "../http/context.ts";
import { ON_DENO } from "../http/platform.ts";
import { targetOf } from "../http/request_text.ts";

/** What `Deno.serve` tells of the connection of a request. */
interface Connection {
  readonly remoteAddr: { readonly hostname: string };
}

/** A `Request` as the pipeline sees it. What costs time is read from it only when it is needed. */
export class FetchContext extends Notes implements RequestContext {
  readonly method: string;
  readonly #request: Request;
  /** What the functions of an app get on Deno in place of a request with `Upgrade`; see `toRequest()`. */
  #upgradeCopy: Request | undefined;
  readonly #headers: Headers;
  readonly #connection: Connection | undefined;
  #target: string | undefined;

  /** @param connection What the host tells of the connection, if it tells anything. */
  constructor(request: Request, headers: Headers, connection?: Connection) {
    super();
    this.#request = request;
    this.#headers = headers;
    this.#connection = connection;
    this.method = request.method;
  }

  /**
   * The target is taken from the URL when it is needed: a request that is refused needs none, and
   * Bun makes it on demand.
   */
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
    // If an app makes a WebSocket of its request on Deno, and the response is not that of the
    // WebSocket, `Deno.serve` stops for good. Deno makes no WebSocket of a copy of the request.
    // After the body was read, only the head can be copied.
    return this.#upgradeCopy ??= request.bodyUsed
      ? new Request(request.url, { method: this.method, headers: this.#headers })
      : request.clone();
  }
}
