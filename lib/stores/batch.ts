import { isPromise, type MaybePromise } from "../maybe_promise.ts";
import { StoreUnavailableError } from "./store.ts";
import { storeClosed } from "./write.ts";

export const FULL_BATCH = 512;

/** Not counting those of one turn of the event loop: their caller has the memory for them. */
const MAX_WAITING = 10_000;

const MIN_WAIT = 2, MAX_WAIT = 10;

const MAX_BACKOFF = 64;

/** Called after each commit, with the number of its creates and its duration in milliseconds. */
export type CommitObserver = (creates: number, milliseconds: number) => void;

export interface CommittingStore {
  readonly batch: Pick<Batch<never>, "onCommit" | "unsettled">;
}

export interface BatchOptions<Create> {
  resource: string;
  /** Settles the creates, and neither throws nor rejects. Calls do not overlap. */
  commit(creates: Create[]): MaybePromise<void>;
  choose?(waiting: Create[]): { chosen: Create[]; rest: Create[] };
  /** Whether a commit waits for the clients that the one before has answered. */
  expectsClients?: boolean;
}

export class Batch<Create> {
  waiting: Create[] = [];
  #inFlight = 0;
  #running: Promise<void> | undefined;
  readonly #options: BatchOptions<Create>;
  #isClosed = false;
  #isFull = false;
  /** How many creates must wait before the next commit starts. */
  #expected = 0;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  /** How many transactions will not wait for clients, and their number after the next unsuccessful wait. */
  #backoff = { left: 0, next: 1 };
  onCommit: CommitObserver | undefined;

  constructor(options: BatchOptions<Create>) {
    this.#options = options;
  }

  get unsettled(): number {
    return this.waiting.length + this.#inFlight;
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
    if (count + this.#inFlight === MAX_WAITING) setImmediate(() => this.#isFull = true);
    if (count === this.#expected) this.#start();
    else if (count === 1 && !this.#running) this.#commitSoon();
  }

  /**
   * After a turn of the event loop without a create, so that a single one is not delayed, and concurrent ones share a
   * transaction.
   */
  #commitSoon(): void {
    const count = this.waiting.length;
    setImmediate(() => {
      const { length } = this.waiting;
      if (length < this.#expected) return;
      if (length > count && count < FULL_BATCH) this.#commitSoon();
      else this.#start();
    });
  }

  /**
   * Clients that have just been answered often send their next creates at once. If those miss a long commit, each waits
   * for two; so the next commit waits about as long as the last one took.
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
      if (this.waiting.length > 0) this.#commitSoon();
    }, Math.min(MAX_WAIT, Math.max(MIN_WAIT, milliseconds)));
  }

  /** Resolves when all creates are settled. */
  close(): MaybePromise<void> {
    this.#isClosed = true;
    this.#start();
    return this.#running && this.#whenIdle();
  }

  async #whenIdle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  #requireCapacity(): void {
    this.#isFull = this.unsettled >= MAX_WAITING;
    if (this.#isFull) throw new StoreUnavailableError(`Too many creates wait for ${this.#options.resource}`);
  }

  /** One commit at a time. Those who arrive meanwhile share the next one. */
  #start(): void {
    this.#expected = 0;
    clearTimeout(this.#deadline);
    if (this.#running || this.waiting.length === 0) return;
    const { choose = (all: Create[]) => ({ chosen: all, rest: [] }), commit } = this.#options;
    const { chosen, rest } = choose(this.waiting);
    this.waiting = rest;
    this.#inFlight = chosen.length;
    const startedAt = performance.now();
    const done = commit(chosen);
    if (isPromise(done)) this.#running = done.then(() => this.#end(chosen.length, performance.now() - startedAt));
    else this.#end(chosen.length, performance.now() - startedAt);
  }

  #end(count: number, milliseconds: number): void {
    // A commit that stopped this thread had no creates beside it.
    const mayExpect = this.#running !== undefined && this.#options.expectsClients;
    this.#running = undefined;
    this.#inFlight = 0;
    this.onCommit?.(count, milliseconds);
    // The next create of a single client is committed at once anyway.
    if (mayExpect && count + this.waiting.length > 1) this.expect(count, milliseconds);
    if (this.#isClosed) this.#start();
    else if (this.waiting.length > 0) this.#commitSoon();
  }
}
