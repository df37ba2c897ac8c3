import { Notes, type RequestContext } from "../http/context.ts";
import { isBodyTaken, openBody, readWholeBody } from "./node_body.ts";
import { fieldOf } from "./node_fields.ts";
import { toRequest } from "./node_request.ts";
import { pathAndQueryOf, targetAsSent } from "./node_target.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/** A request of Node as the pipeline sees it. It makes a `Request` only where an app needs one. */
export class NodeContext extends Notes implements RequestContext {
  readonly method: string;
  /** The target as the client sent it. A kept response is found by it, without a check or a change of its form. */
  readonly targetKey: string;
  readonly #incoming: NodeRequest;
  readonly #outgoing: NodeResponse;
  #target: string | undefined;
  /** If it exists, it has the body: the app may have cloned it. */
  #request: Request | undefined;
  /** Aborted when the client leaves. It exists if the app has asked for the signal of the `Request`. */
  #gone: AbortController | undefined;

  constructor(incoming: NodeRequest, outgoing: NodeResponse) {
    super();
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.method = incoming.method ?? "GET";
    this.targetKey = targetAsSent(incoming);
  }

  get target(): string {
    return this.#target ??= pathAndQueryOf(this.targetKey);
  }

  get client(): string | undefined {
    return (this.#incoming.socket as { remoteAddress?: string } | undefined)?.remoteAddress;
  }

  get bodyUsed(): boolean {
    if (this.#request) return this.#request.bodyUsed;
    return isBodyTaken(this.#incoming);
  }

  header(name: string): string | null {
    return fieldOf(this.#incoming, name);
  }

  readBody(): Promise<ArrayBuffer | Uint8Array> {
    if (this.#request) return this.#request.arrayBuffer();
    return readWholeBody(this.#incoming);
  }

  openBody(): ReadableStream<Uint8Array> | null {
    if (this.#request) return this.#request.body;
    return openBody(this.#incoming, this.#outgoing);
  }

  toRequest(): Request {
    return this.#request ??= toRequest(this.#incoming, this.#outgoing, () => this.#signal());
  }

  /** The signal of the `Request`. */
  #signal(): AbortSignal {
    if (this.#gone) return this.#gone.signal;
    const outgoing = this.#outgoing;
    const gone = new AbortController();
    this.#gone = gone;
    const abortIfEarly = () => {
      // A response that has closed after all of it was sent has not lost its client.
      if (!outgoing.writableFinished) gone.abort();
    };
    if (outgoing.destroyed || outgoing.req.aborted) abortIfEarly();
    // If the client leaves, Node 22 and `node:http` of Deno do not close a response that waits for
    // an earlier one of its connection. Its request is aborted all the same.
    outgoing.on("close", abortIfEarly);
    outgoing.req.on?.("aborted", abortIfEarly);
    return gone.signal;
  }
}
