/** Decides when creates that arrive together start their common transaction. */

import { storeClosed, StoreUnavailableError } from "./store.ts";

/** How many creates start a transaction at once, without waiting for more. */
export const FULL_BATCH = 512;

/** How many creates may wait. They take less than 100 MB. */
const MAX_WAITING = 10_000;

/** Creates that wait for a transaction. */
export class Batch<Create> {
  /** In order of arrival. The store removes the creates that it commits. */
  waiting: Create[] = [];
  /** How many creates the store has taken and not settled yet. For the limit, they wait too. */
  taken = 0;
  readonly #commit: () => void;
  readonly #resource: string;
  #isClosed = false;
  #expected = 0;
  #expectedUntil = 0;

  /**
   * @param commit Commits creates in {@link waiting}, or does nothing if a transaction is running already.
   * @param resource The name of what the creates wait for, for an error message.
   */
  constructor(commit: () => void, resource: string) {
    this.#commit = commit;
    this.#resource = resource;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws {StoreUnavailableError} If the batch is closed, or too many creates wait. */
  add(create: Create): void {
    if (this.#isClosed) throw storeClosed();
    if (this.waiting.length >= FULL_BATCH) this.#commit();
    if (this.waiting.length + this.taken >= MAX_WAITING) {
      throw new StoreUnavailableError(`Too many creates wait for ${this.#resource}`);
    }
    if (this.waiting.push(create) === 1) this.commitSoon();
  }

  /**
   * Commits after a turn of the event loop in which no create arrived. So a single create is not delayed, while creates that
   * many clients send at the same time share a transaction.
   */
  commitSoon(): void {
    const count = this.waiting.length;
    setImmediate(() => {
      const { length } = this.waiting;
      const isGrowing = length > count && count < FULL_BATCH;
      const isAwaited = length > 0 && length < this.#expected && performance.now() < this.#expectedUntil;
      if (isGrowing || isAwaited) this.commitSoon();
      else this.#commit();
    });
  }

  /**
   * Lets {@link commitSoon} wait for more creates. The clients that have just been answered often send their next ones at once.
   * If those miss a commit that takes long, each create waits for two commits.
   *
   * @param count How many creates may come in addition to those that wait.
   * @param milliseconds The longest wait.
   */
  expect(count: number, milliseconds: number): void {
    this.#expected = this.waiting.length + count;
    this.#expectedUntil = performance.now() + milliseconds;
  }

  /** Accepts no more creates, and commits those that wait. */
  close(): void {
    this.#isClosed = true;
    this.#commit();
  }
}
