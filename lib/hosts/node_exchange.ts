/** Node's request as an exchange. */

import { Buffer } from "node:buffer";
import type { BodyReader, Caller, Exchange } from "../http/exchange.ts";
import { hasLeft, isGone } from "./node_answer.ts";
import { hasBody, targetOfRequest, toRequest, toStream } from "./node_request.ts";
import type { NodeRequest, NodeResponse } from "./node_types.ts";

/** Computes on demand what few requests need. */
export class NodeExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  caller?: Caller;
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

  get targetKey(): string {
    return this.target;
  }

  get bodyUsed(): boolean {
    if (this.#request) return this.#request.bodyUsed;
    return this.#incoming.readableDidRead && hasBody(this.#incoming);
  }

  /** Reads `rawHeaders`, because for some repeated fields Node's `headers` keeps only the first. */
  header(name: string): string | null {
    const { rawHeaders } = this.#incoming;
    let value: string | null = null;
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const field = rawHeaders[i]!;
      if (field.length !== name.length || (field !== name && field.toLowerCase() !== name)) continue;
      value = value === null ? rawHeaders[i + 1]! : `${value}, ${rawHeaders[i + 1]}`;
    }
    return value;
  }

  readBody(): Promise<ArrayBuffer | Uint8Array> {
    if (this.#request) return this.#request.arrayBuffer();
    const incoming = this.#incoming;
    // A parser of the app may have consumed the `end` event, which does not occur twice.
    if (!hasBody(incoming)) return Promise.resolve(new Uint8Array());
    return new Promise((resolve, reject) => {
      const pieces: Uint8Array[] = [];
      const fail = () => reject(new Error("The client disconnected"));
      if (incoming.destroyed) return fail();
      incoming.on("data", (piece) => pieces.push(piece as Uint8Array));
      incoming.on("end", () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)));
      incoming.on("error", fail);
      // After a complete body, this has no effect.
      incoming.on("close", fail);
    });
  }

  openBody(): BodyReader | undefined {
    if (this.#request) return this.#request.body?.getReader();
    return hasBody(this.#incoming) ? toStream(this.#incoming).getReader() : undefined;
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
