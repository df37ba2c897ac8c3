/**
 * Tells whether the body of a request could not be read because its client has gone. Such a failure
 * is the client's, and gets 400. Every other failure is a defect of this side, such as that of a
 * stream which the app has put around the body. It gets 500, and `onError` is told. The two are
 * told apart by what runtimes throw when a connection ends.
 */

/** The names of such errors: of Deno (`Deno.errors`), and of Bun and aborted requests (`AbortError`). */
const NAMES = new Set([
  "AbortError",
  "BadResource",
  "BrokenPipe",
  "ConnectionAborted",
  "ConnectionReset",
  "Http",
  "Interrupted",
  "UnexpectedEof",
]);

/** The codes of such errors on Node, and of the adapters there that make a `Request` from an `IncomingMessage`. */
const CODES = new Set([
  "ABORT_ERR",
  "ECONNABORTED",
  "ECONNRESET",
  "EPIPE",
  "ERR_HTTP2_STREAM_CANCEL",
  "ERR_HTTP2_STREAM_ERROR",
  "ERR_STREAM_PREMATURE_CLOSE",
  "HPE_INVALID_CHUNK_SIZE",
  "HPE_INVALID_EOF_STATE",
  "UND_ERR_ABORTED",
]);

/** The messages of such errors in Workers and in Durable Objects, which have neither a name nor a code of their own. */
const OF_WORKERS = /^(Network connection lost|Can't read from request stream because client disconnected)\.$/;

/** What a host throws if it knows itself that the client has gone. */
export function disconnected(): Error {
  return Object.assign(new Error("The client disconnected"), { code: "ECONNRESET" });
}

export function isInterruption(thrown: unknown): boolean {
  // A stream may fail with anything, also with an object whose members throw.
  try {
    const { name, code, message } = thrown as { name?: unknown; code?: unknown; message?: unknown };
    return NAMES.has(name as string) || CODES.has(code as string) || OF_WORKERS.test(message as string);
  } catch {
    return false;
  }
}
