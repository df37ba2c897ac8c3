/** Who sends a request, and what they may do. */
export interface Caller {
  /**
   * Names the caller: not empty, and the same after a restart and a change of its key, because
   * Idempotency-Keys belong to it.
   */
  readonly id: string;
  /** Whether the caller may only read. Default: `false`. */
  readonly readOnly?: boolean;
}

/** What the steps of the pipeline note about a request, for those after them. No host sets or reads it. */
export class Notes {
  /**
   * When the request came, in milliseconds as in `performance.now()`. The finisher notes it, if an
   * observer needs the time.
   */
  arrivedAt?: number;
  /**
   * The template of the path, with the base path, such as `/v1/pets/{petId}`. The pipeline notes it
   * when it has found the route.
   */
  route?: string | undefined;
  /** Who sent the request. The pipeline notes it, also for a caller whose right does not suffice. */
  caller?: Caller;
  /** The fault on purpose that the request has drawn. `withFaults()` notes it, and the response names it. */
  fault?: string;
  /** The id of the request. `requestIdOf()` notes it when it is first asked for it. */
  requestId?: string;
}

/** A request as its host gives it, with the notes of the pipeline. */
export interface RequestContext extends Notes {
  /** The method as it was sent, because methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** The path and the query, or `""` for a request without a path, such as `OPTIONS *`. */
  readonly target: string;
  /**
   * A text that is the same for the same target on one host. It costs less than `target`, which a
   * kept response does not need.
   */
  readonly targetKey: string;
  /** Whether the app has begun to read the body. */
  readonly bodyUsed: boolean;
  /**
   * The address of the client or of the proxy before this host, for the log. It is undefined where
   * the host does not tell it.
   */
  readonly client: string | undefined;

  /**
   * The value of a field, or null. Several lines of one name are joined with commas (RFC 9110
   * §5.3).
   *
   * @param name The name in lower case.
   */
  header(name: string): string | null;
  /** Reads the whole body. Rejects if the client goes away before its end. */
  readBody(): Promise<ArrayBuffer | Uint8Array>;
  /** The body as a stream, or null if the request has none. Either this or {@link readBody} is called, and once. */
  openBody(): ReadableStream<Uint8Array> | null;
  /**
   * The request for a function of the app. It is the same object each time.
   *
   * @throws {TypeError} If what the client sent cannot be a `Request`.
   */
  toRequest(): Request;
}
