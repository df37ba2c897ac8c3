/** What the model is given, and what it gives. */

export type Header = [name: string, value: string];

/** A request as the service gets it. `target` is the path with its query, and a fragment where the host has left one. */
export interface ModelRequest {
  method: string;
  target: string;
  headers: Header[];
  body: Uint8Array<ArrayBuffer>;
}

/** An answer foretold. Of {@link FORETOLD_HEADERS}, those that are not among `headers` must be absent. */
export interface Prediction {
  /** More than one only where HTTP leaves it open. */
  status: number[];
  /** Of an Error body. */
  code?: string;
  /** What a GET would have as its body; the answer to HEAD has none all the same. */
  body?: string;
  headers: Record<string, string>;
  /** What the entity tag stands for. Equal ones have equal tags, others have others. */
  representation?: string;
}

export const FORETOLD_HEADERS: readonly string[] = ["accept-post", "allow", "content-type", "deprecation", "etag"]
  .concat("idempotency-replayed", "link", "location", "retry-after", "sunset", "www-authenticate")
  .concat("x-content-type-options");

/** Stands for a strong entity tag that has not been seen yet. */
export const SOME_TAG = "a strong entity tag";
