/** The used part of `http.IncomingMessage`, without a dependency. */
export interface NodeRequest {
  /** The method, such as `GET`. */
  readonly method?: string | undefined;
  /** The target, without the prefix that a router has removed. */
  readonly url?: string | undefined;
  /** The target as it was sent. Express and others set it. */
  readonly originalUrl?: string | undefined;
  /** The major version of HTTP. */
  readonly httpVersionMajor?: number | undefined;
  /** The header fields by their lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The header fields as they were sent: names and values in turn. */
  readonly rawHeaders: readonly string[];
  /** The socket. Its member `encrypted` is `true` with TLS. */
  readonly socket: object;
  /** Whether reading of the body has begun. */
  readonly readableDidRead: boolean;
  /** Whether the body was read to its end. */
  readonly readableEnded: boolean;
  /** The encoding of the text that the body is read as; `null` for bytes. */
  readonly readableEncoding?: string | null;
  /** The whole body as bytes, if the host has read it, as the frameworks of cloud functions do. */
  readonly rawBody?: unknown;
  /** Whether the connection is closed. */
  readonly destroyed: boolean;
  /** Whether the client has left. */
  readonly aborted?: boolean;
  /** Adds a listener for `data`, `end`, `error`, `aborted` or `close`. */
  on(event: string, listener: (argument?: unknown) => void): unknown;
  /** How many bytes of the body have arrived and are unread. */
  readonly readableLength: number;
  /** Reads so many bytes of the body that have arrived. */
  read(size: number): unknown;
  /** Iterates over the pieces of the body. */
  iterator(options: { destroyOnReturn: boolean }): AsyncIterableIterator<Uint8Array>;
  /** Discards the unread rest of the body. */
  resume(): unknown;
}

/** The part of `http.ServerResponse` that a listener uses. */
export interface NodeResponse {
  /** Whether the connection stays open. */
  shouldKeepAlive?: boolean;
  /** The request. An adapter of cloud functions may have made the response without its events. */
  readonly req: Partial<Pick<NodeRequest, "method" | "aborted" | "on">>;
  /** The socket. It is null until the earlier responses on the connection have been sent. */
  readonly socket?: { destroy?(): unknown } | null | undefined;
  /** Whether the headers have been sent. */
  readonly headersSent: boolean;
  /** Whether the connection is closed. */
  readonly destroyed: boolean;
  /** Whether the whole response has been handed to the system. */
  readonly writableFinished: boolean;
  /** Whether `end()` was called. */
  readonly writableEnded: boolean;
  /** Sets the status and headers. */
  writeHead(status: number, headers: Record<string, string | number | string[]>): unknown;
  /** Sends the body, and ends. */
  end(body?: string | Uint8Array): unknown;
  /** Sends a text, and ends. */
  end(body: string, encoding: "latin1" | "utf8"): unknown;
  /** Closes the connection. */
  destroy(): unknown;
  /** Adds a listener for `finish`, `close` or `socket`. */
  on(event: string, listener: () => void): unknown;
}
