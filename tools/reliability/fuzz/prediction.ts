export type Header = [name: string, value: string];

/** A request as the service gets it. `target` has the path, the query, and a fragment if the host leaves one. */
export interface ModelRequest {
  method: string;
  target: string;
  headers: Header[];
  /** A character for each byte, so that a report is readable. */
  body?: string | undefined;
}

/** The bytes of a body. */
export function bytesOf(body = ""): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(body, (character) => character.charCodeAt(0));
}

/** A predicted response. Those of {@link FORETOLD_HEADERS} that are not in `headers` must be absent. */
export interface Prediction {
  /** Several only where HTTP leaves it open. */
  status: number[];
  code?: string;
  /** The body for GET; HEAD has none. */
  body?: string;
  headers: Record<string, string>;
  /** The content that the entity tag stands for: equal contents have equal tags. */
  representation?: string;
}

export const FORETOLD_HEADERS: readonly string[] = ["accept-post", "allow", "content-type", "deprecation", "etag"]
  .concat("idempotency-replayed", "link", "location", "retry-after", "sunset", "www-authenticate")
  .concat("x-content-type-options");

/** Stands for a strong entity tag that has not been seen yet. */
export const SOME_TAG = "a weak entity tag";
