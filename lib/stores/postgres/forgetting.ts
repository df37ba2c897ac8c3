/** Forgetting: requests that have expired are deleted now and then, apart from the creates. */

import type { Database } from "./client.ts";

/** After so many requests it is time, */
const MANY = 500;
/** or with the first after so many milliseconds. */
const PAUSE = 5000;
/** At least so many are deleted at once, if there are, and at most. */
const FEWEST = 1000, MOST = 10_000;

/**
 * Deletes what has expired, while new requests come: without them nothing grows. In statements of their own, and one at a
 * time, so that no create waits.
 */
export class Forgetting {
  readonly #db: Database;
  readonly #statement: string;
  /** Requests that have come since. */
  #count = 0;
  #notBefore = 0;
  #underWay: Promise<void> | undefined;
  #isClosed = false;

  /** @param statement What deletes. */
  constructor(db: Database, statement: string) {
    this.#db = db;
    this.#statement = statement;
  }

  /** To be called for each request that has been remembered. */
  remembered(): void {
    this.#count++;
    if (this.#underWay || this.#isClosed) return;
    if (this.#count < MANY && performance.now() < this.#notBefore) return;
    this.#underWay = this.#forget().finally(() => this.#underWay = undefined);
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#underWay;
  }

  async #forget(): Promise<void> {
    // Twice as many as have come, so that those that have expired get fewer.
    const most = Math.min(Math.max(2 * this.#count, FEWEST), MOST);
    this.#count = Math.max(this.#count - most / 2, 0);
    this.#notBefore = performance.now() + PAUSE;
    try {
      const deadline = performance.now() + this.#db.timeout;
      const [row] = await this.#db.query(this.#statement, [String(most)], deadline);
      // There are more: the next request goes on with them.
      if (Number(row?.[0]) >= most) this.#notBefore = 0;
    } catch {
      // Nobody waits for it. What is left is deleted another time, and a create that fails says why.
    }
  }
}
