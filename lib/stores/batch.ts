/** Decides when creates that arrive together start their common transaction. */

import { storeClosed, StoreUnavailableError } from "./store.ts";

/** How many creates start a transaction at once, without waiting for more. */
export const FULL_BATCH = 512;

/**
 * How many creates may wait. They take less than 100 MB. Those of one turn of the event loop are not refused, because their caller
 * has the memory for them.
 */
const MAX_WAITING = 10_000;

/** In milliseconds. */
const MIN_PATIENCE = 2, MAX_PATIENCE = 10;

/** After clients did not come, at most so many transactions do not wait for any. */
const MAX_IMPATIENCE = 64;

/**
 * How long a transaction may wait for clients that have just been answered, in milliseconds.
 *
 * @param milliseconds How long the last transaction took.
 */
export function patienceAfter(milliseconds: number): number {
  return Math.min(MAX_PATIENCE, Math.max(MIN_PATIENCE, milliseconds));
}

/** Creates that wait for a transaction. */
export class Batch<Create> {
  /** In order of arrival. The store removes the creates that it commits. */
  waiting: Create[] = [];
  /**
   * How many creates the store has taken and not settled yet. For the limit, they wait too. When they are settled, the store calls
   * {@link commitSoon} for those that have come meanwhile.
   */
  taken = 0;
  readonly #commit: () => void;
  readonly #resource: string;
  #isClosed = false;
  /** Whether too many creates of earlier turns wait. */
  #isFull = false;
  /** How many creates must wait before the next commit starts; 0 if any number may be committed. */
  #expected = 0;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  /** How many transactions will not wait for clients, and how many more it will be if clients are missed again. */
  #impatience = { left: 0, next: 1 };

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
    if (this.waiting.length >= FULL_BATCH) this.#start();
    if (this.#isFull) this.#requireRoom();
    const count = this.waiting.push(create);
    if (count + this.taken === MAX_WAITING) setImmediate(() => this.#isFull = true);
    if (count === this.#expected) this.#start();
    else if (count === 1 && this.taken === 0) this.commitSoon();
  }

  /**
   * Commits after a turn of the event loop in which no create arrived. So a single create is not delayed, while creates that
   * many clients send at the same time share a transaction.
   */
  commitSoon(): void {
    const count = this.waiting.length;
    setImmediate(() => {
      const { length } = this.waiting;
      if (length < this.#expected) return;
      if (length > count && count < FULL_BATCH) this.commitSoon();
      else this.#start();
    });
  }

  /**
   * Lets the next commit wait for more creates, unless such waits were in vain lately. Clients that have just been answered
   * often send their next creates at once. If those miss a commit that takes long, each create waits for two commits.
   *
   * @param count How many creates may come in addition to those that wait.
   * @param milliseconds The longest wait. See {@link patienceAfter}.
   */
  expect(count: number, milliseconds: number): void {
    const impatience = this.#impatience;
    if (impatience.left-- > 0) return;
    impatience.next = Math.max(1, impatience.next / 2);
    this.#expected = Math.min(FULL_BATCH, this.waiting.length + count);
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => {
      this.#expected = 0;
      impatience.next = Math.min(MAX_IMPATIENCE, impatience.next * 4);
      impatience.left = impatience.next;
      if (this.waiting.length > 0) this.commitSoon();
    }, milliseconds);
  }

  /** Accepts no more creates, and commits those that wait. */
  close(): void {
    this.#isClosed = true;
    this.#start();
  }

  #requireRoom(): void {
    this.#isFull = this.waiting.length + this.taken >= MAX_WAITING;
    if (this.#isFull) throw new StoreUnavailableError(`Too many creates wait for ${this.#resource}`);
  }

  #start(): void {
    this.#expected = 0;
    clearTimeout(this.#deadline);
    this.#commit();
  }
}
