import { isPromise, type MaybePromise } from "../promises.ts";
import { StoreUnavailableError } from "./store.ts";
import { storeClosed } from "./write.ts";

/**
 * A commit of this many creates starts without waiting for more, because a larger one would save little. It is no limit: creates that
 * gather while another commit runs may be more, unless {@link BatchOptions.choose} leaves some for the commit after it.
 */
export const FULL_BATCH: number = 512;

/**
 * How many creates may wait. Those that come within one turn of the event loop are not counted against it, because
 * their caller has the memory for them anyway.
 */
const MAX_WAITING = 10_000;

/** A store whose commits an observer can count. */
export interface CommittingStore {
  /** The batch that collects the creates of the store. */
  readonly batch: Pick<Batch<never>, "onCommit" | "unsettled">;
}

/** The options of a {@link Batch}. */
export interface BatchOptions<Create> {
  /** The name of what commits, for messages, such as `the disk`. */
  resource: string;
  /** Settles the creates, and neither throws nor rejects. */
  commit(creates: Create[]): MaybePromise<void>;
  /** Splits the waiting creates into those of the next commit and the rest. Default: all. */
  choose?(waiting: Create[]): { chosen: Create[]; rest: Create[] };
  /**
   * Whether a commit waits for the clients whose creates the last commit has answered. Otherwise a create that comes just after a commit has
   * begun waits for two commits: that one, and its own.
   */
  expectsClients?: boolean;
}

/**
 * Collects the creates that come at about the same time, and commits them together, one commit at a time. A commit costs
 * a wait for the disk or the database, whatever its size. The next one starts after a turn of the event loop in which no
 * create came, so that concurrent creates share it, or when the expected clients are there or late.
 */
export class Batch<Create> {
  /** The creates that no commit has taken yet, in order of arrival. */
  waiting: Create[] = [];
  #inFlight = 0;
  #running: Promise<void> | undefined;
  readonly #options: BatchOptions<Create>;
  #isClosed = false;
  /**
   * Whether the limit was reached at the end of some turn of the event loop. It is set at the end of the turn, so that the creates of one turn
   * are all accepted, and the next create counts again.
   */
  #mayBeFull = false;
  readonly #clients = new ExpectedClients(() => this.#startSoon());
  /** Called after each commit with the number of its creates and its duration in milliseconds. */
  onCommit: ((creates: number, milliseconds: number) => void) | undefined;

  /** Makes a batch in which no create waits yet. */
  constructor(options: BatchOptions<Create>) {
    this.#options = options;
  }

  /** How many creates wait or are being committed. */
  get unsettled(): number {
    return this.waiting.length + this.#inFlight;
  }

  /** Whether {@link Batch.close} was called. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Adds a create to the next commit.
   *
   * @throws {StoreUnavailableError} If the batch is closed, or too many creates wait.
   */
  add(create: Create): void {
    if (this.#isClosed) throw storeClosed();
    if (this.waiting.length >= FULL_BATCH) this.#start();
    if (this.#mayBeFull) {
      this.#mayBeFull = this.unsettled >= MAX_WAITING;
      if (this.#mayBeFull) throw new StoreUnavailableError(`Too many creates wait for ${this.#options.resource}`);
    }
    const count = this.waiting.push(create);
    if (count + this.#inFlight === MAX_WAITING) setImmediate(() => this.#mayBeFull = true);
    if (count === this.#clients.expected) this.#start();
    else if (count === 1) this.#startSoon();
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

  #startSoon(): void {
    const count = this.waiting.length;
    if (this.#running || count === 0) return;
    setImmediate(() => {
      const { length } = this.waiting;
      if (length < this.#clients.expected) return;
      if (length > count && count < FULL_BATCH) this.#startSoon();
      else this.#start();
    });
  }

  #start(): void {
    this.#clients.stopWaiting();
    if (this.#running || this.waiting.length === 0) return;
    const { choose = (all: Create[]) => ({ chosen: all, rest: [] }), commit } = this.#options;
    const { chosen, rest } = choose(this.waiting);
    this.waiting = rest;
    this.#inFlight = chosen.length;
    const startedAt = performance.now();
    const done = commit(chosen);
    if (isPromise(done)) this.#running = done.then(() => this.#end(chosen.length, startedAt));
    else this.#end(chosen.length, startedAt);
  }

  #end(count: number, startedAt: number): void {
    const milliseconds = performance.now() - startedAt;
    // A commit without a promise has blocked this thread, so no client could send a create meanwhile, and there is none to expect.
    const mayExpect = this.#running !== undefined && this.#options.expectsClients;
    this.#running = undefined;
    this.#inFlight = 0;
    this.onCommit?.(count, milliseconds);
    if (this.#isClosed) return this.#start();
    const clients = Math.min(FULL_BATCH, count + this.waiting.length);
    // The next create of a single client is committed at once anyway.
    if (mayExpect && clients > 1) this.#clients.expect(clients, milliseconds);
    this.#startSoon();
  }
}

/** The least and the most time that a commit waits for clients, in milliseconds. */
const MIN_WAIT = 2, MAX_WAIT = 10;

/** After a wait in which not all clients came, this many commits do not wait. */
const COMMITS_AT_ONCE = 16;

/**
 * Says for how many clients the next commit waits. A client that the last commit has answered sends its next create within a moment. If
 * the next commit started just before, that create would have to wait for the whole of it. So the commit waits until as many creates are
 * there as there were clients, though not longer than the last one took. If some stay away, the clients have changed their rhythm, and
 * the next commits start at once.
 */
class ExpectedClients {
  /** How many creates must wait before the next commit starts, unless the time ends first. It is 0 if no client is expected. */
  expected = 0;
  readonly #onLate: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #commitsAtOnce = 0;

  /** @param onLate Called if not all have come in time. */
  constructor(onLate: () => void) {
    this.#onLate = onLate;
  }

  /** @param lastCommitMs How long the last commit took. */
  expect(clients: number, lastCommitMs: number): void {
    if (this.#commitsAtOnce > 0) {
      this.#commitsAtOnce--;
      return;
    }
    this.expected = clients;
    this.#timer = setTimeout(() => {
      this.expected = 0;
      this.#commitsAtOnce = COMMITS_AT_ONCE;
      this.#onLate();
    }, Math.min(MAX_WAIT, Math.max(MIN_WAIT, lastCommitMs)));
  }

  /** Ends the wait. The batch calls this when a commit starts. */
  stopWaiting(): void {
    this.expected = 0;
    clearTimeout(this.#timer);
  }
}
