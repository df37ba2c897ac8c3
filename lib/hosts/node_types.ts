/**
 * The parts of Node's request and response that are used. They are described here so that the library's types need no
 * other package. Those of `node:http`, `node:http2`, Express, Fastify, Koa and Connect fit, and those of test frameworks.
 */

/** The part of `http.IncomingMessage` that is used. */
export interface NodeRequest {
  /** Such as `GET`. */
  readonly method?: string | undefined;
  /** The target of the request; a router may have stripped its prefix. */
  readonly url?: string | undefined;
  /** The target as it came, where a router has changed `url`. */
  readonly originalUrl?: string | undefined;
  /** `2` for HTTP/2. */
  readonly httpVersionMajor?: number | undefined;
  /** Fields by their lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** The connection; a member `encrypted` tells of TLS. */
  readonly socket: object;
  /** Whether the body has been read from. */
  readonly readableDidRead: boolean;
  /** Whether the connection is gone. */
  readonly destroyed: boolean;
  /** Listens to `data`, with a piece of the body, to `end`, to `error`, with the error, and to `close`. */
  on(event: string, listener: (argument?: unknown) => void): unknown;
  /** Stops `data`. */
  pause(): unknown;
  /** Starts `data`. */
  resume(): unknown;
}

/** The part of `http.ServerResponse` that is used. */
export interface NodeResponse {
  /** To be set. */
  statusCode: number;
  /** To be set. */
  statusMessage: string;
  /** The request that is answered. */
  readonly req: { readonly method?: string | undefined; readonly httpVersionMajor?: number | undefined };
  /** Whether the head of the answer has been sent. */
  readonly headersSent: boolean;
  /** Whether the connection is gone. */
  readonly destroyed: boolean;
  /** Whether all has been sent. */
  readonly writableFinished: boolean;
  /** Whether the answer has been ended. */
  readonly writableEnded: boolean;
  /** Sets a field of the answer. */
  setHeader(name: string, value: string | string[]): unknown;
  /** Makes the head of the answer, with further fields. */
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  /** Sends a piece of the body; `false` asks to wait for `drain`. */
  write(piece: Uint8Array): boolean;
  /** Sends the last piece, if there is one, and ends the answer. */
  end(piece?: string | Uint8Array): unknown;
  /** Closes the connection. */
  destroy(): unknown;
  /** Listens to `drain` and `close`. */
  on(event: string, listener: () => void): unknown;
}
