/** The model's input and output. */

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
  /** The body of the answer to GET; the answer to HEAD has none. */
  body?: string;
  headers: Record<string, string>;
  /** The content that the entity tag stands for: equal contents have equal tags. */
  representation?: string;
}

export const FORETOLD_HEADERS: readonly string[] = ["accept-post", "allow", "content-type", "deprecation", "etag"]
  .concat("idempotency-replayed", "link", "location", "retry-after", "sunset", "www-authenticate")
  .concat("x-content-type-options");

/** Stands for a strong entity tag that has not been seen yet. */
export const SOME_TAG = "a strong entity tag";
