/** A request before it is sent, with placeholders for parts of earlier responses. */

import type { SeenResponse } from "../../../tests/support/openapi_validator.ts";
import { bytesOf, type Header, type ModelRequest } from "./prediction.ts";

/** `{next}`, `{id}` and `{etag}` stand for parts of earlier responses, so that a shortened sequence still makes sense. */
export interface Step extends ModelRequest {
  /** Whether the body has a length or comes in pieces. */
  framing: "length" | "pieces";
  /** Set to follow `next` to the last page. */
  isWalk?: boolean;
}

export class Memory {
  #next = "none";
  #id = "0";
  #anyTag = '"none-yet"';
  readonly #tags = new Map<string, string>();

  resolve(step: Step): Step {
    const target = step.target.replaceAll("{next}", this.#next).replaceAll("{id}", this.#id);
    const tag = this.#tags.get(target) ?? this.#anyTag;
    const headers = step.headers.map(([name, value]): Header => [name, value.replaceAll("{etag}", tag)]);
    return { ...step, target, headers };
  }

  learn({ target }: Step, { headers }: SeenResponse): void {
    this.#next = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? this.#next;
    this.#id = headers.get("location")?.split("/").at(-1) ?? this.#id;
    const tag = headers.get("etag");
    if (tag === null) return;
    this.#tags.set(target, tag);
    this.#anyTag = tag;
  }
}

/** Piece sizes that also cut a character of several bytes. */
const PIECE_SIZES = [1, 7, 64, 1000];

export const ORIGIN = "http://petstore.test";

/** `Request` normalises URLs and some methods. */
export function createRequest({ method, target, headers, body, framing }: Step): Request {
  const isBodiless = /^(GET|HEAD)$/i.test(method) || body === undefined;
  if (isBodiless) return new Request(ORIGIN + target, { method, headers });
  const bytes = bytesOf(body);
  if (framing === "pieces") {
    const init = { method, headers, body: ReadableStream.from(cut(bytes)), duplex: "half" };
    return new Request(ORIGIN + target, init);
  }
  const length: Header = ["content-length", `${bytes.length}`];
  return new Request(ORIGIN + target, { method, headers: [...headers, length], body: bytes });
}

function* cut(body: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
  for (let start = 0, i = 0; start < body.length; i++) {
    const end = start + PIECE_SIZES[i % PIECE_SIZES.length]!;
    yield body.slice(start, end);
    start = end;
  }
}
