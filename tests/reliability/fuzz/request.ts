/** A request before it is sent, and how what an earlier answer said gets into it. */

import type { SeenResponse } from "../../support/openapi_validator.ts";
import type { Header } from "./prediction.ts";

/**
 * A well-formed request: one that the HTTP stack has to hand over, whatever the petstore makes of it. `{next}`, `{id}` and
 * `{etag}` in its target and its headers stand for what the last answers said, so that a shorter sequence still makes
 * sense when a longer one is shrunk.
 */
export interface Draft {
  method: string;
  /** In origin form; over a socket also in absolute form, or `*`. */
  target: string;
  headers: Header[];
  /** None where it is left out. */
  body?: Uint8Array<ArrayBuffer>;
  /** Whether the body comes with its length or in pieces of unknown number. */
  framing: "length" | "pieces";
  /** Whether to go on with the next page as long as there is one. */
  isWalk: boolean;
}

/** Bytes that no HTTP stack should take for a request. */
export interface Malformed {
  what: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export type Step = Draft | Malformed;

/** A client's memory of earlier answers. */
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
