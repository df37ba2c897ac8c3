/** The used part of `http.IncomingMessage`, without a dependency. */
export interface NodeRequest {
  /** Such as `GET`. */
  readonly method?: string | undefined;
  /** Without the prefix that a router removed. */
  readonly url?: string | undefined;
  /** The target as sent. */
  readonly originalUrl?: string | undefined;
  /** The major version of HTTP. */
  readonly httpVersionMajor?: number | undefined;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  /** `encrypted` is `true` with TLS. */
  readonly socket: object;
  /** Whether reading has begun. */
  readonly readableDidRead: boolean;
  /** Whether the connection is closed. */
  readonly destroyed: boolean;
  /** For `data`, `end`, `error` or `close`. */
  on(event: string, listener: (argument?: unknown) => void): unknown;
  /** Unread bytes. */
  readonly readableLength: number;
  /** Reads what has arrived. */
  read(): unknown;
  /** The pieces of the body. */
  iterator(options: { destroyOnReturn: boolean }): AsyncIterator<Uint8Array>;
  /** Discards the unread rest. */
  resume(): unknown;
}

/** The used part of `http.ServerResponse`. */
export interface NodeResponse {
  /** The status. */
  statusCode: number;
  /** Whether the connection stays open (HTTP/1). */
  shouldKeepAlive?: boolean;
  /** The reason phrase (HTTP/1). */
  statusMessage: string;
  /** The request. */
  readonly req: { readonly method?: string | undefined; readonly httpVersionMajor?: number | undefined };
  /** Set when earlier responses are sent (HTTP/1). */
  readonly socket?: object | null | undefined;
  /** Whether the headers have been sent. */
  readonly headersSent: boolean;
  /** Whether the connection is closed. */
  readonly destroyed: boolean;
  /** Whether all has been sent. */
  readonly writableFinished: boolean;
  /** Whether `end()` was called. */
  readonly writableEnded: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string | string[]): unknown;
  /** Removes a header. */
  removeHeader(name: string): unknown;
  /** Sets the status and headers. */
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  /** `false` means to wait for `drain`. */
  write(piece: Uint8Array): boolean;
  /** Sends a text. */
  write(piece: string, encoding: "latin1" | "utf8"): boolean;
  /** Sends a last piece and ends. */
  end(piece?: string | Uint8Array): unknown;
  /** Sends a last text and ends. */
  end(piece: string, encoding: "latin1" | "utf8"): unknown;
  /** Closes the connection or HTTP/2 stream. */
  destroy(error?: Error): unknown;
  /** For `drain` or `close`. */
  on(event: string, listener: () => void): unknown;
}
