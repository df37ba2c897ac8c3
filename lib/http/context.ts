/** One request in a form that does not depend on the host. */

import type { HeaderFields, Reply } from "./reply.ts";

/** The sender of a request. */
export interface Caller {
  /** Identifies the caller, not its key: it must stay the same after a restart or a change of the key. Not empty. */
  readonly id: string;
  /** Whether the caller may only read. Default: it may do everything. */
  readonly readOnly?: boolean;
}

/** A reply that is sent again and again. */
export interface KeptReply {
  readonly reply: Reply;
  /** The host's response, of which clones are sent. Made when the reply is sent again for the first time. */
  template: Response | undefined;
  /** The same with fields for other origins, of the last request that got any. */
  granted?: KeptReply & { readonly fields: HeaderFields };
}

/** One request. A host's adapter creates it; the pipeline notes in it what it finds out. */
export interface RequestContext {
  /** As sent: methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** Path and query; `""` if the request's URL has no path. */
  readonly target: string;
  /** Distinguishes the targets, like `target`, at less cost. */
  readonly targetKey: string;
  /** Whether the app has already read from the body. */
  readonly bodyUsed: boolean;
  /** The address of the client, if the host provides it. */
  readonly client: string | undefined;
  /** When it arrived, as in `performance.now()`; 0 if nothing observes the responses. Set by the pipeline. */
  arrivedAt?: number;
  /** Set by the pipeline when the key check has found it. */
  caller?: Caller;
  /** The template of the path that matched, base path included. Set by the pipeline, or by the response cache. */
  route?: string | undefined;
  /** Added to a failure of the operation, as to its other responses. Set by the pipeline, or by the response cache. */
  operationFields?: HeaderFields | undefined;
  /** Set by the response cache if it has found the reply. */
  kept?: KeptReply;
  /** Added to the response, whatever it is. Set by the rate limit. */
  fields?: HeaderFields;
  /** Set when it is first needed. See `requestIdOf()`. */
  requestId?: string;
  /** The value of a field by its lower-case name, or `null`. Several lines are joined by commas (RFC 9110 §5.3). */
  header(name: string): string | null;
  /** Reads the whole body. Rejects if it is incomplete. */
  readBody(): Promise<ArrayBuffer | Uint8Array>;
  /** The body, to be read in pieces; `null` if there is none. */
  openBody(): ReadableStream<Uint8Array> | null;
  /** Converts the context to a `Request`, for code of the app. */
  toRequest(): Request;
}
