import type { HeaderFields } from "./reply.ts";

/** The sender of a request. */
export interface Caller {
  /** Not empty. It must outlive a restart and a change of key. */
  readonly id: string;
  /** Whether the caller may only read. Default: `false`. */
  readonly readOnly?: boolean;
}

/** A request as its host gives it, and what a step before the reply tells the steps after it. */
export interface RequestContext {
  /** As sent: methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** `""` without a path. */
  readonly target: string;
  /** Cheaper than `target`. */
  readonly targetKey: string;
  readonly bodyUsed: boolean;
  readonly client: string | undefined;
  /** By the pipeline: 0 if unobserved. */
  arrivedAt?: number;
  /** By the pipeline: a template with the base path. */
  route?: string | undefined;
  /** By the authentication: also of a caller that is refused. */
  caller?: Caller;
  /** By the authentication: added to every response. */
  fields?: HeaderFields;
  /** By `requestIdOf()`. */
  requestId?: string;
  /** Joins several lines with commas (RFC 9110 §5.3). */
  header(name: string): string | null;
  /** Rejects if it is incomplete. */
  readBody(): Promise<ArrayBuffer | Uint8Array>;
  openBody(): ReadableStream<Uint8Array> | null;
  toRequest(): Request;
  /** Absent if the host cannot. */
  breakOff?(): void;
}
