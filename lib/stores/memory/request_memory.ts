import type { IdempotentRequest } from "../store.ts";
import type { RememberedRequest } from "../remembered_request.ts";

/** How many expired requests are deleted at most when a request is added. With two for each, a backlog shrinks. */
const MAX_FORGOTTEN = 2;

interface ExpiringRequest extends RememberedRequest {
  /** When the request is forgotten, in milliseconds as in `Date.now()`. */
  expires: number;
}

/** Remembers requests in memory, so that a repeated one adds no second pet. All are remembered for the same time. */
export class RequestMemory {
  /**
   * The requests by their keys. A map keeps the order of its insertions, so the request that
   * expires first is the first.
   */
  readonly #requests = new Map<string, ExpiringRequest>();

  /** Finds the request with a key, unless it has expired. */
  find(key: string, now: number): RememberedRequest | undefined {
    const request = this.#requests.get(key);
    return request && request.expires > now ? request : undefined;
  }

  /** Remembers the pet of a request. No unexpired request may have its key. */
  remember({ key, fingerprint, retentionMs }: IdempotentRequest, id: bigint, now: number): void {
    // An expired request may have this key. A map would leave the key at its old place.
    this.#requests.delete(key);
    this.#forgetExpired(now);
    this.#requests.set(key, { id, fingerprint, expires: now + retentionMs });
  }

  #forgetExpired(now: number): void {
    let forgotten = 0;
    for (const [key, { expires }] of this.#requests) {
      if (expires > now || forgotten === MAX_FORGOTTEN) return;
      this.#requests.delete(key);
      forgotten++;
    }
  }

  clear(): void {
    this.#requests.clear();
  }
}
