/** A request before it is sent, with placeholders for parts of earlier responses. */

import type { SeenResponse } from "../../support/openapi_validator.ts";
import type { Header } from "./prediction.ts";

/**
 * A well-formed request, which the HTTP stack must pass on. `{next}`, `{id}` and `{etag}` stand for parts of earlier
 * responses, so that a shortened sequence still makes sense.
 */
export interface Draft {
  method: string;
  /** In origin form; over a socket also in absolute form, or `*`. */
  target: string;
  headers: Header[];
  body?: Uint8Array<ArrayBuffer>;
  /** Whether the body has a length or comes in pieces. */
  framing: "length" | "pieces";
  /** Whether to follow `next` to the last page. */
  isWalk: boolean;
}

/** Bytes that no HTTP stack should accept as a request. */
export interface Malformed {
  what: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export type Step = Draft | Malformed;

export class Memory {
  #next = "none";
  #id = "0";
  #anyTag = '"none-yet"';
  readonly #tags = new Map<string, string>();

  resolve(draft: Draft): Draft {
    const target = draft.target.replaceAll("{next}", this.#next).replaceAll("{id}", this.#id);
    const tag = this.#tags.get(target) ?? this.#anyTag;
    const headers = draft.headers.map(([name, value]): Header => [name, value.replaceAll("{etag}", tag)]);
    return { ...draft, target, headers };
  }

  learn({ target }: Draft, { headers }: SeenResponse): void {
    this.#next = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? this.#next;
    this.#id = headers.get("location")?.split("/").at(-1) ?? this.#id;
    const tag = headers.get("etag");
    if (tag === null) return;
    this.#tags.set(target, tag);
    this.#anyTag = tag;
  }
}
