import type { HeaderFields, Reply } from "./reply.ts";

/** The sender of a request. */
export interface Caller {
  /** Not empty. It must outlive a restart and a change of key. */
  readonly id: string;
  /** Whether the caller may only read. Default: `false`. */
  readonly readOnly?: boolean;
}

export interface KeptReply {
  readonly reply: Reply;
  /** To be cloned. */
  template: Response | undefined;
  /** With the CORS fields of the last request. */
  granted?: KeptReply & { readonly fields: HeaderFields };
}

/** Hosts create it, and the pipeline adds to it. */
export interface RequestContext {
  /** As sent: methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** `""` without a path. */
  readonly target: string;
  /** Cheaper than `target`. */
  readonly targetKey: string;
  readonly bodyUsed: boolean;
  readonly client: string | undefined;
  /** 0 if nothing observes the responses. */
  arrivedAt?: number;
  caller?: Caller;
  /** A template with the base path. */
  route?: string | undefined;
  /** Added to a failure of the operation. */
  operationFields?: HeaderFields | undefined;
  kept?: KeptReply;
  /** Added to every response. */
  fields?: HeaderFields;
  /** See `requestIdOf()`. */
  requestId?: string;
  /** Joins several lines with commas (RFC 9110 §5.3). */
  header(name: string): string | null;
  /** Rejects if it is incomplete. */
  readBody(): Promise<ArrayBuffer | Uint8Array>;
  openBody(): ReadableStream<Uint8Array> | null;
  toRequest(): Request;
}
