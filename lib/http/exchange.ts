/** One request as the service sees it, whichever host it came through. */

/** Who sends a request. Never the key itself. */
export interface Caller {
  /** Stays the same for as long as the caller does, over restarts and over changes of its key. */
  readonly id: string;
}

/** One request. A host's adapter makes it; guards and routing add what they find out. */
export interface Exchange {
  /** As it was sent. Methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** Path and query, without a fragment; `""` if the request's URL has no path. */
  readonly target: string;
  /** Whether an app has read from the body before. */
  readonly bodyUsed: boolean;
  /** Set once the caller is known. */
  caller?: Caller;
  /** The value of a field by its lower-case name, several lines joined by commas (RFC 9110 §5.3), or `null`. */
  header(name: string): string | null;
  /** Reads the whole body. Rejects if it breaks off. */
  readBody(): Promise<ArrayBuffer | Uint8Array>;
  /** Opens the body for reading in pieces; `undefined` if there is none. */
  openBody(): BodyReader | undefined;
  /** The same request as an app's own code takes it. */
  toRequest(): Request;
}

/** Reads a body in pieces. A piece is valid until the next one is read. */
export interface BodyReader {
  /** The next piece. Rejects if the body breaks off. */
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  /** Gives the rest up. */
  cancel(): Promise<void>;
}
