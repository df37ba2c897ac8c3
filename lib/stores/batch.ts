import { isPromise, type MaybePromise } from "../promises.ts";
import { StoreUnavailableError } from "./store.ts";
import { storeClosed } from "./write.ts";

/**
 * How many creates (requests to store a pet) make a batch full. The create after them starts a commit at once, because a larger commit would
 * save little. A commit may have more creates than this, if they gathered while another commit ran. {@link BatchOptions.choose} can make it
 * smaller.
 */
export const FULL_BATCH: number = 512;

/** How many creates may wait or be committed at a time. {@link Batch.add} refuses more. */
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

/** The shortest and the longest time that a commit waits for clients, in milliseconds. */
const MIN_WAIT_MS = 2;
const MAX_WAIT_MS = 10;

/** After a wait for clients in which not all came, this many commits do not wait. */
const COMMITS_WITHOUT_WAIT = 16;

/**
 * What a batch does at the moment. A create leads from the first state to the second. After a commit, the batch is in one of the first three;
 * only one that closes goes on with the next commit.
 */
type State =
  /** No commit runs, and no create waits. */
  | { kind: "idle" }
  /** Creates wait, and the end of this turn of the event loop shows whether more come. */
  | { kind: "gathering" }
  /** The next commit starts when this many creates wait, or when the timer ends. */
  | { kind: "awaiting clients"; clients: number; timer: ReturnType<typeof setTimeout> }
  /** A commit of this many creates runs, and creates that come meanwhile wait. A commit that blocks this thread has no state. */
  | { kind: "committing"; count: number; done: Promise<void> };

const IDLE: State = { kind: "idle" };

/**
 * Collects the creates that come at about the same time, and commits them together, one commit at a time. A commit costs a wait for the disk
 * or the database, whatever its size. So the next one starts after a turn of the event loop in which no create came, and concurrent creates
 * share it. If clients are expected, it starts when they are there or late.
 *
 * For a batch, a write that only checks whether a create would succeed is a create too.
 */
export class Batch<Create> {
  /** Called after each commit with the number of its creates and its duration in milliseconds. */
  onCommit: ((creates: number, milliseconds: number) => void) | undefined;
  readonly #options: BatchOptions<Create>;
  /** The creates that no commit has taken yet, in order of arrival. */
  #waiting: Create[] = [];
  #state = IDLE;
  #isClosed = false;
  /** How many of the next commits do not wait for clients, although they are expected. */
  #commitsWithoutWait = 0;

  /** Makes a batch in which no create waits yet. */
  constructor(options: BatchOptions<Create>) {
    this.#options = options;
  }

  /** How many creates wait or are being committed. */
  get unsettled(): number {
    const inFlight = this.#state.kind === "committing" ? this.#state.count : 0;
    return this.#waiting.length + inFlight;
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
    // A full batch is committed without this create, which begins the next one.
    if (this.#waiting.length >= FULL_BATCH) this.#commit();
    if (this.unsettled >= MAX_WAITING) {
      throw new StoreUnavailableError(`Too many creates wait for ${this.#options.resource}`);
    }
    this.#waiting.push(create);
    const state = this.#state;
    if (state.kind === "idle") this.#gather();
    if (state.kind === "awaiting clients" && this.#waiting.length >= state.clients) this.#commit();
  }

  /** Refuses further creates, and resolves when all that were accepted are settled. It returns no promise if they are settled already. */
  close(): MaybePromise<void> {
    this.#isClosed = true;
    this.#commit();
    return this.#state.kind === "committing" ? this.#whenIdle() : undefined;
  }

  async #whenIdle(): Promise<void> {
    while (this.#state.kind === "committing") await this.#state.done;
  }

  /** If creates wait, starts a commit after a turn of the event loop in which no create came. */
  #gather(): void {
    const countBefore = this.#waiting.length;
    if (countBefore === 0) {
      this.#state = IDLE;
      return;
    }
    const gathering: State = { kind: "gathering" };
    this.#state = gathering;
    setImmediate(() => {
      // A full batch or `close()` has started the commit meanwhile.
      if (this.#state !== gathering) return;
      const hasGrown = this.#waiting.length > countBefore;
      if (hasGrown) this.#gather();
      else this.#commit();
    });
  }

  /** Starts a commit of the creates that wait, unless one runs. */
  #commit(): void {
    if (this.#state.kind === "committing") return;
    if (this.#state.kind === "awaiting clients") clearTimeout(this.#state.timer);
    this.#state = IDLE;
    if (this.#waiting.length === 0) return;
    const { choose = chooseAll, commit } = this.#options;
    const { chosen, rest } = choose(this.#waiting);
    this.#waiting = rest;
    const count = chosen.length;
    const startedAt = performance.now();
    const result = commit(chosen);
    if (!isPromise(result)) return this.#afterCommit(count, startedAt, true);
    const done = result.then(() => this.#afterCommit(count, startedAt, false));
    this.#state = { kind: "committing", count, done };
  }

  /** @param hasBlocked Whether the commit has blocked this thread. */
  #afterCommit(count: number, startedAt: number, hasBlocked: boolean): void {
    this.#state = IDLE;
    const milliseconds = performance.now() - startedAt;
    this.onCommit?.(count, milliseconds);
    if (this.#isClosed) return this.#commit();
    // No client could send a create during a commit that blocked this thread, so such a commit shows nothing of their rhythm.
    const waits = !hasBlocked && this.#awaitClients(count, milliseconds);
    if (!waits) this.#gather();
  }

  /**
   * Lets the next commit wait for clients, if they are expected. A client that a commit has answered sends its next create within a moment.
   * If the next commit started just before, that create would have to wait for the whole of it. So the commit waits until as many creates are
   * there as there were clients, for about as long as the last commit took. If some stay away, the clients have changed their rhythm, and the
   * next commits start at once.
   *
   * @param answered How many creates the last commit has answered.
   * @param lastCommitMs How long it took.
   * @returns Whether the next commit waits.
   */
  #awaitClients(answered: number, lastCommitMs: number): boolean {
    if (!this.#options.expectsClients) return false;
    // Each client waits for one create. So if a commit has answered two, and a third waits, there are three clients.
    const clients = Math.min(FULL_BATCH, answered + this.#waiting.length);
    // A single client is not waited for: `add()` starts the commit of its next create in the turn after it comes.
    if (clients === 1) return false;
    if (this.#commitsWithoutWait > 0) {
      this.#commitsWithoutWait--;
      return false;
    }
    if (this.#waiting.length >= clients) return false;
    const waitMs = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, lastCommitMs));
    const timer = setTimeout(() => {
      this.#commitsWithoutWait = COMMITS_WITHOUT_WAIT;
      this.#gather();
    }, waitMs);
    this.#state = { kind: "awaiting clients", clients, timer };
    return true;
  }
}

function chooseAll<Create>(waiting: Create[]): { chosen: Create[]; rest: Create[] } {
  return { chosen: waiting, rest: [] };
}
