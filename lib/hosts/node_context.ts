/** Node's request as a context. */

import { Buffer } from "node:buffer";
import type { HeaderFields } from "../http/reply.ts";
import type { Caller, RequestContext } from "../http/context.ts";
import { hasLeft, isGone } from "./node_reply.ts";
import { fieldOf, hasBody, targetOfRequest, toRequest, toStream } from "./node_request.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/** Computes on demand what few requests need. */
export class NodeContext implements RequestContext {
  readonly method: string;
  readonly target: string;
  caller?: Caller;
  route?: string | undefined;
  operationFields?: HeaderFields | undefined;
  fields?: HeaderFields;
  requestId?: string;
  readonly #incoming: NodeRequest;
  readonly #outgoing: NodeResponse;
  /** Once it exists, the body is read from it, because the app may have cloned it. */
  #request: Request | undefined;

  constructor(incoming: NodeRequest, outgoing: NodeResponse) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.method = incoming.method ?? "GET";
    this.target = targetOfRequest(incoming);
  }

  get client(): string | undefined {
    return (this.#incoming.socket as { remoteAddress?: string } | undefined)?.remoteAddress;
  }

  get targetKey(): string {
    return this.target;
  }

  get bodyUsed(): boolean {
    if (this.#request) return this.#request.bodyUsed;
    return this.#incoming.readableDidRead && hasBody(this.#incoming);
  }

  header(name: string): string | null {
    return fieldOf(this.#incoming, name);
  }

  readBody(): Promise<ArrayBuffer | Uint8Array> {
    if (this.#request) return this.#request.arrayBuffer();
    const incoming = this.#incoming;
    // A parser of the app may have consumed the `end` event, which does not occur twice.
    if (!hasBody(incoming)) return Promise.resolve(new Uint8Array());
    return new Promise((resolve, reject) => {
      const pieces: Uint8Array[] = [];
      let isWhole = false;
      // An Error is made only if it is needed, because each takes as long as half a create.
      const fail = () => isWhole || reject(new Error("The client disconnected"));
      if (incoming.destroyed) return void fail();
      incoming.on("data", (piece) => pieces.push(piece as Uint8Array));
      incoming.on("end", () => {
        isWhole = true;
        resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
      });
      incoming.on("close", fail);
      // HTTP/1 has no error without a listener, and each listener costs 2 % of a create. HTTP/2 would end the process.
      if (incoming.httpVersionMajor !== 1) incoming.on("error", fail);
    });
  }

  openBody(): ReadableStream<Uint8Array> | null {
    if (this.#request) return this.#request.body;
    return hasBody(this.#incoming) ? toStream(this.#incoming) : null;
  }

  toRequest(): Request {
    return this.#request ??= this.#toRequest();
  }

  #toRequest(): Request {
    const outgoing = this.#outgoing;
    let gone: AbortController | undefined;
    return toRequest(this.#incoming, () => {
      if (gone) return gone.signal;
      const { signal } = gone = new AbortController();
      const abort = () => hasLeft(outgoing) && gone?.abort();
      if (isGone(outgoing)) abort();
      else outgoing.on("close", abort);
      return signal;
    });
  }
}
