import { isPromise, type MaybePromise } from "../promises.ts";
import { StoreUnavailableError } from "./store.ts";
import { storeClosed } from "./write.ts";

/**
 * How many creates (requests to store a pet) make a batch full. The create after them starts a commit at once, because a larger commit would
 * save little. This is no limit: more creates may gather while another commit runs, unless {@link BatchOptions.choose} leaves some for the
 * commit after it.
 */
export const FULL_BATCH: number = 512;

/**
 * How many creates may wait. The creates of one turn of the event loop are all accepted, even beyond this number: the caller has made
 * them all before any could be refused, so to refuse some would save no memory.
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
  /** Settles the creates. It needs no `this`, and neither throws nor rejects. */
  commit: (creates: Create[]) => MaybePromise<void>;
  /**
   * Splits the waiting creates into those of the next commit and the rest. At least one is chosen. It needs no `this`. Default: all are
   * chosen.
   */
  choose?: (waiting: Create[]) => { chosen: Create[]; rest: Create[] };
  /**
   * Whether a commit waits for the clients whose creates the last commit has answered. Without this wait, a create that comes just after a
   * commit has begun waits for two commits: the one that runs, and its own.
   */
  expectsClients?: boolean;
}

/**
 * Collects the creates that come at about the same time, and commits them together, one commit at a time. A
 * commit costs a wait for the disk or the database, whatever its size. The next one starts after a turn of the event loop in which no create
 * came, so that concurrent creates share it. If clients are expected, it starts when they are there or late; see {@link ExpectedClients}.
 */
export class Batch<Create> {
  /** The creates that no commit has taken yet, in order of arrival. */
  waiting: Create[] = [];
  /** Called after each commit with the number of its creates and its duration in milliseconds. */
  onCommit: ((creates: number, milliseconds: number) => void) | undefined;
  readonly #options: BatchOptions<Create>;
  readonly #clients = new ExpectedClients(() => this.#startSoon());
  /** The commit that runs. It is undefined if none does, and also during a commit without a promise, which blocks this thread. */
  #running: Promise<void> | undefined;
  /** How many creates the commit has that runs. */
  #inFlight = 0;
  #isClosed = false;
  /**
   * Whether creates may be refused. It becomes true after a turn of the event loop in which the limit was reached, so that the creates of
   * one turn are all accepted. It becomes false with the first create that finds room again.
   */
  #mayBeFull = false;

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
    this.#requireRoom();
    const count = this.waiting.push(create);
    // Every create adds one, so the number of creates passes the limit when it is reached.
    if (this.unsettled === MAX_WAITING) setImmediate(() => this.#mayBeFull = true);
    const isLastAwaited = this.#clients.areAwaited && this.#clients.haveCome(count);
    if (isLastAwaited) this.#start();
    // While others wait already, a commit is going to start: soon, or after the one that runs.
    else if (count === 1) this.#startSoon();
  }

  #requireRoom(): void {
    if (!this.#mayBeFull) return;
    this.#mayBeFull = this.unsettled >= MAX_WAITING;
    if (this.#mayBeFull) throw new StoreUnavailableError(`Too many creates wait for ${this.#options.resource}`);
  }

  /** Refuses further creates, and resolves when all that were accepted are settled. It returns no promise if they are settled already. */
  close(): MaybePromise<void> {
    this.#isClosed = true;
    this.#start();
    return this.#running && this.#whenIdle();
  }

  async #whenIdle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /**
   * Starts a commit after a turn of the event loop in which no create came, or before which the batch was full. It may be called again
   * meanwhile: what comes too late finds a commit that runs, or nothing to commit.
   */
  #startSoon(): void {
    const countBefore = this.waiting.length;
    if (this.#running || countBefore === 0) return;
    setImmediate(() => {
      const count = this.waiting.length;
      // The commit waits for clients. Either the create of the last one starts it, or the timer that ends the wait.
      if (!this.#clients.haveCome(count)) return;
      const hasGrown = count > countBefore;
      if (hasGrown && countBefore < FULL_BATCH) this.#startSoon();
      else this.#start();
    });
  }

  /** Ends the wait for clients, and starts a commit, unless one runs or no create waits. */
  #start(): void {
    this.#clients.stopWaiting();
    if (this.#running || this.waiting.length === 0) return;
    const { choose = (all: Create[]) => ({ chosen: all, rest: [] }), commit } = this.#options;
    const { chosen, rest } = choose(this.waiting);
    this.waiting = rest;
    this.#inFlight = chosen.length;
    const startedAt = performance.now();
    const done = commit(chosen);
    if (isPromise(done)) this.#running = done.then(() => this.#end(chosen.length, startedAt, false));
    else this.#end(chosen.length, startedAt, true);
  }

  /** @param hasBlocked Whether the commit has blocked this thread. No client could then send a create for which to wait. */
  #end(count: number, startedAt: number, hasBlocked: boolean): void {
    const milliseconds = performance.now() - startedAt;
    this.#running = undefined;
    this.#inFlight = 0;
    this.onCommit?.(count, milliseconds);
    if (this.#isClosed) return this.#start();
    // Each client waits for one create, so these are the clients that were answered now, and those who wait.
    const clients = Math.min(FULL_BATCH, count + this.waiting.length);
    // A single client is not waited for: `add()` starts the commit of its next create in the turn after it comes.
    const isWorthAWait = clients > 1 && !hasBlocked;
    if (this.#options.expectsClients && isWorthAWait) this.#clients.expect(clients, milliseconds);
    this.#startSoon();
  }
}

/** The shortest and the longest time that a commit waits for clients, in milliseconds. */
const MIN_WAIT_MS = 2;
const MAX_WAIT_MS = 10;

/** After a wait in which not all clients came, this many commits do not wait. */
const COMMITS_WITHOUT_WAIT = 16;

/**
 * Says for how many clients the next commit waits. A client that the last commit has answered sends its next create within a moment. If
 * the next commit started just before, that create would have to wait for the whole of it. So the commit waits until as many creates are
 * there as there were clients, for about as long as the last commit took. If some stay away, the clients have changed their rhythm, and
 * the next commits start at once.
 */
class ExpectedClients {
  /** How many creates must wait before the next commit starts, unless the time ends first. It is undefined if the commit does not wait. */
  #expected: number | undefined;
  readonly #onLate: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How many of the next commits do not wait. */
  #commitsWithoutWait = 0;

  /** @param onLate Called if not all have come in time. */
  constructor(onLate: () => void) {
    this.#onLate = onLate;
  }

  /** Whether the next commit waits for clients. */
  get areAwaited(): boolean {
    return this.#expected !== undefined;
  }

  /** Whether all clients have come for which the next commit waits, if this many creates are there. */
  haveCome(creates: number): boolean {
    return creates >= (this.#expected ?? 0);
  }

  /** @param lastCommitMs How long the last commit took. */
  expect(clients: number, lastCommitMs: number): void {
    if (this.#commitsWithoutWait > 0) {
      this.#commitsWithoutWait--;
      return;
    }
    this.#expected = clients;
    this.#timer = setTimeout(() => {
      this.#expected = undefined;
      this.#commitsWithoutWait = COMMITS_WITHOUT_WAIT;
      this.#onLate();
    }, Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, lastCommitMs)));
  }

  /** Ends the wait. The batch calls this when a commit starts. */
  stopWaiting(): void {
    this.#expected = undefined;
    clearTimeout(this.#timer);
  }
}
