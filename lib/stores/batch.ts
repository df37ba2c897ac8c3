/** Decides when creates that arrive together start their common transaction. */

import { storeClosed, StoreUnavailableError } from "./store.ts";

/** How many creates start a transaction at once, without waiting for more. */
export const FULL_BATCH = 512;

/**
 * How many creates may wait. They need less than 100 MB. Those of one turn of the event loop are not refused, because their caller
 * has the memory for them.
 */
const MAX_WAITING = 10_000;

/** The bounds of a wait for clients, in milliseconds. */
const MIN_WAIT = 2, MAX_WAIT = 10;

/** After unsuccessful waits, at most this many transactions do not wait. */
const MAX_BACKOFF = 64;

/**
 * How long a transaction may wait for clients that have just been answered, in milliseconds.
 *
 * @param milliseconds How long the last transaction took.
 */
export function longestWaitAfter(milliseconds: number): number {
  return Math.min(MAX_WAIT, Math.max(MIN_WAIT, milliseconds));
}

/** Called after each commit, with the number of its creates and its duration. */
export type CommitObserver = (creates: number, milliseconds: number) => void;

/** A store that commits creates together, as an observer sees it. */
export interface CommittingStore {
  onCommit: CommitObserver | undefined;
  /** How many creates wait for their commit. */
  readonly waiting: number;
}

/** Creates that wait for a transaction. */
export class Batch<Create> {
  /** In order of arrival. The store removes the creates that it commits. */
  waiting: Create[] = [];
  /**
   * How many creates the store is committing. For the limit, they count as waiting. When they are settled, the store
   * calls {@link commitSoon} for those that have arrived meanwhile.
   */
  inFlight = 0;
  readonly #commit: () => void;
  readonly #resource: string;
  #isClosed = false;
  /** Whether too many creates of earlier turns wait. */
  #isFull = false;
  /** How many creates must wait before the next commit starts; 0 if any number may be committed. */
  #expected = 0;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  /** How many transactions will not wait for clients, and their number after the next unsuccessful wait. */
  #backoff = { left: 0, next: 1 };

  /**
   * @param commit Commits creates in {@link waiting}, or does nothing if a transaction is running already.
   * @param resource The resource that the creates wait for, for an error message.
   */
  constructor(commit: () => void, resource: string) {
    this.#commit = commit;
    this.#resource = resource;
  }

  /** How many creates are not settled yet. */
  get unsettled(): number {
    return this.waiting.length + this.inFlight;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws {StoreUnavailableError} If the batch is closed, or too many creates wait. */
  add(create: Create): void {
    if (this.#isClosed) throw storeClosed();
    if (this.waiting.length >= FULL_BATCH) this.#start();
    if (this.#isFull) this.#requireCapacity();
    const count = this.waiting.push(create);
    if (count + this.inFlight === MAX_WAITING) setImmediate(() => this.#isFull = true);
    if (count === this.#expected) this.#start();
    else if (count === 1 && this.inFlight === 0) this.commitSoon();
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
   * Lets the next commit wait for more creates, unless recent waits were unsuccessful. Clients that have just been answered
   * often send their next creates at once. If those miss a long commit, each create waits for two commits.
   *
   * @param count How many creates may arrive in addition to those that wait.
   * @param milliseconds The longest wait. See {@link longestWaitAfter}.
   */
  expect(count: number, milliseconds: number): void {
    const backoff = this.#backoff;
    if (backoff.left-- > 0) return;
    backoff.next = Math.max(1, backoff.next / 2);
    this.#expected = Math.min(FULL_BATCH, this.waiting.length + count);
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => {
      this.#expected = 0;
      backoff.next = Math.min(MAX_BACKOFF, backoff.next * 4);
      backoff.left = backoff.next;
      if (this.waiting.length > 0) this.commitSoon();
    }, milliseconds);
  }

  /** Accepts no more creates, and commits those that wait. */
  close(): void {
    this.#isClosed = true;
    this.#start();
  }

  #requireCapacity(): void {
    this.#isFull = this.unsettled >= MAX_WAITING;
    if (this.#isFull) throw new StoreUnavailableError(`Too many creates wait for ${this.#resource}`);
  }

  #start(): void {
    this.#expected = 0;
    clearTimeout(this.#deadline);
    this.#commit();
  }
}
