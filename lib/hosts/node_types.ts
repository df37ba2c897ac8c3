/**
 * What is used of Node's request and response. Described here, so that neither the library nor its types ask for anything:
 * those of `node:http` fit, those of Express, Fastify, Koa and Connect too, and what frameworks for tests make.
 */

/** The part of `http.IncomingMessage` that is used. */
export interface NodeRequest {
  /** Such as `GET`. */
  readonly method?: string | undefined;
  /** The target of the request; a router may have taken its prefix away. */
  readonly url?: string | undefined;
  /** The target as it came, where a router has changed `url`. */
  readonly originalUrl?: string | undefined;
  /** Fields by their lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** The connection; a member `encrypted` tells of TLS. */
  readonly socket: object;
  /** Whether somebody has read of the body. */
  readonly readableDidRead: boolean;
  /** Whether the connection has gone. */
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
  readonly req: { readonly method?: string | undefined };
  /** Whether the connection has gone. */
  readonly destroyed: boolean;
  /** Whether all has been sent. */
  readonly writableFinished: boolean;
  /** Sets a field of the answer. */
  setHeader(name: string, value: string | string[]): unknown;
  /** Sends a piece of the body; `false` asks to wait for `drain`. */
  write(piece: Uint8Array): boolean;
  /** Sends the last piece, if there is one, and ends the answer. */
  end(piece?: Uint8Array): unknown;
  /** Closes the connection. */
  destroy(): unknown;
  /** Listens to `drain` and `close`. */
  on(event: string, listener: () => void): unknown;
  /** Listens no more. */
  off(event: string, listener: () => void): unknown;
}
