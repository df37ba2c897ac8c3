/**
 * The parts of Node's request and response that the adapter uses, declared here so that the library's types need no other
 * package. The types of `node:http`, `node:http2`, Express, Fastify, Koa, Connect and of test frameworks are compatible.
 */

/** The members of `http.IncomingMessage` that the adapter uses. */
export interface NodeRequest {
  /** The method, such as `GET`. */
  readonly method?: string | undefined;
  /** The target of the request. A router may have removed a prefix. */
  readonly url?: string | undefined;
  /** The target that the client sent, if a router has changed `url`. */
  readonly originalUrl?: string | undefined;
  /** The major version of HTTP: 1 or 2. */
  readonly httpVersionMajor?: number | undefined;
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  /** The connection. With TLS, its member `encrypted` is `true`. */
  readonly socket: object;
  /** Whether reading the body has begun. */
  readonly readableDidRead: boolean;
  /** Whether the connection is closed. */
  readonly destroyed: boolean;
  /** Adds a listener for `data` (a piece of the body), `end`, `error` (the error) or `close`. */
  on(event: string, listener: (argument?: unknown) => void): unknown;
  /** How many bytes have arrived and are not read. */
  readonly readableLength: number;
  /** Reads what has arrived. */
  read(): unknown;
  /** The pieces of the body. */
  iterator(options: { destroyOnReturn: boolean }): AsyncIterator<Uint8Array>;
  /** Discards what has not been read of the body. */
  resume(): unknown;
}

/** The members of `http.ServerResponse` that the adapter uses. */
export interface NodeResponse {
  /** The status of the response. */
  statusCode: number;
  /** Whether the connection stays open (HTTP/1 only). */
  shouldKeepAlive?: boolean;
  /** The reason phrase (HTTP/1 only). */
  statusMessage: string;
  /** The request. */
  readonly req: { readonly method?: string | undefined; readonly httpVersionMajor?: number | undefined };
  /** The connection, once all earlier responses on it are sent (HTTP/1 only). */
  readonly socket?: object | null | undefined;
  /** Whether the headers have been sent. */
  readonly headersSent: boolean;
  /** Whether the connection is closed. */
  readonly destroyed: boolean;
  /** Whether the whole response has been sent. */
  readonly writableFinished: boolean;
  /** Whether `end()` has been called. */
  readonly writableEnded: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string | string[]): unknown;
  /** Sets the status and adds headers. */
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  /** Sends a piece of the body. `false` means to wait for `drain`. */
  write(piece: Uint8Array): boolean;
  /** Sends a text. */
  write(piece: string, encoding: "latin1" | "utf8"): boolean;
  /** Sends the last piece, if any, and ends the response. */
  end(piece?: string | Uint8Array): unknown;
  /** Sends a text as the last piece, and ends the response. */
  end(piece: string, encoding: "latin1" | "utf8"): unknown;
  /** Closes the connection, or resets the stream of HTTP/2. */
  destroy(error?: Error): unknown;
  /** Adds a listener for `drain` or `close`. */
  on(event: string, listener: () => void): unknown;
}
