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
  /** Whether the connection stays open (HTTP/1). */
  shouldKeepAlive?: boolean;
  /** The reason phrase (HTTP/1). */
  statusMessage: string;
  /** The request. */
  readonly req: Pick<NodeRequest, "method" | "httpVersionMajor" | "aborted"> & Partial<Pick<NodeRequest, "on">>;
  /** The socket. On HTTP/1, a response has it once the earlier ones on the connection are sent. */
  readonly socket?: object | null | undefined;
  /** Whether the headers have been sent. */
  readonly headersSent: boolean;
  /** Whether the connection is closed. */
  readonly destroyed: boolean;
  /** The stream (HTTP/2). */
  readonly stream?: { readonly closed: boolean; readonly destroyed: boolean } | undefined;
  /** Whether the whole response has been handed to the system. */
  readonly writableFinished: boolean;
  /** Whether `end()` was called. */
  readonly writableEnded: boolean;
  /** Sets the status and headers. */
  writeHead(status: number, headers: Record<string, string | number | string[]>): unknown;
  /** Sends a piece of the body. `false` means that the sender should wait for `drain`. */
  write(piece: Uint8Array): boolean;
  /** Sends a text. */
  write(piece: string, encoding: "latin1" | "utf8"): boolean;
  /** Sends a last piece and ends. */
  end(piece?: string | Uint8Array): unknown;
  /** Sends a last text and ends. */
  end(piece: string, encoding: "latin1" | "utf8"): unknown;
  /** Closes the connection or HTTP/2 stream. */
  destroy(error?: Error): unknown;
  /** Adds a listener for `drain`, `finish`, `close` or `socket`. */
  on(event: string, listener: () => void): unknown;
}
