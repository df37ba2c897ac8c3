import { isPromise, type MaybePromise } from "../../promises.ts";
import { StoreUnavailableError } from "../store.ts";
import { storeClosed } from "./writing_store.ts";

/**
 * How many writes make a batch full. A full batch is committed at once, because a larger commit
 * would save little. A commit may have more writes than this, if they gathered while another commit
 * ran. {@link BatchOptions.choose} can make it smaller.
 */
export const FULL_BATCH: number = 512;

/** How many writes may wait or be committed at a time. {@link Batch.add} refuses more. */
const MAX_UNSETTLED = 10_000;

/** The shortest and the longest time that a commit waits for clients. */
const MIN_WAIT_MS = 2;
const MAX_WAIT_MS = 10;

/** How many commits do not wait after a wait in vain. So one of 17 commits waits in vain at most, for up to 10 ms. */
const COMMITS_WITHOUT_WAIT = 16;

/** A store whose commits an observer can count. */
export interface CommittingStore {
  /** The batch that collects the writes of the store. */
  readonly batch: ObservedBatch;
}

/** What an observer sees of a batch. */
export interface ObservedBatch {
  /** Called after each commit with the number of its writes and its duration in milliseconds. */
  onCommit: ((writes: number, milliseconds: number) => void) | undefined;
  /** How many writes wait or are being committed. */
  readonly unsettled: number;
}

/** The options of a {@link Batch}. */
export interface BatchOptions<Write> {
  /** The name of what commits, for messages, such as `the disk`. */
  resource: string;
  /** Settles the writes. It needs no `this`, and neither throws nor rejects. */
  commit: (writes: Write[]) => MaybePromise<void>;
  /**
   * Splits the waiting writes into those of the next commit and the rest. At least one is chosen.
   * It needs no `this`. Default: all are chosen.
   */
  choose?: (waiting: Write[]) => { chosen: Write[]; rest: Write[] };
  /** Whether a commit waits for the clients whose writes the last commit has answered. */
  expectsClients?: boolean;
}

/** What a batch does at the moment. {@link Batch} says how one state follows another. */
type State =
  /** No commit runs, and no write waits. */
  | { kind: "idle" }
  /**
   * The next commit starts after a turn of the event loop, or when the batch is full. `cancel` ends
   * the turn without a commit.
   */
  | { kind: "gathering"; enough: number; cancel: () => void }
  /**
   * The next commit starts when each client has sent a write. If a time passes before, the batch
   * gathers. `cancel` ends the wait.
   */
  | { kind: "awaitingClients"; enough: number; cancel: () => void }
  /**
   * A commit of this many writes runs, and writes that come meanwhile wait. A commit that blocks
   * this thread has no state.
   */
  | { kind: "committing"; count: number; done: Promise<void> };

const IDLE: State = { kind: "idle" };

/**
 * Collects the writes that come at about the same time, and commits them together, one commit at a
 * time. A commit costs a wait for the disk or the database, whatever its size, so concurrent writes
 * share it.
 *
 * - The first write of an idle batch begins to gather others. The commit starts after a turn of the
 *   event loop in which none came.
 * - After a commit, the batch may wait for the clients that the commit has answered. Otherwise it
 *   gathers what comes beside the writes that wait, or is idle if there are none.
 * - A batch that is full while it gathers, and one that closes, is committed at once.
 */
export class Batch<Write> implements ObservedBatch {
  /** Called after each commit with the number of its writes and its duration in milliseconds. */
  onCommit: ((writes: number, milliseconds: number) => void) | undefined;
  readonly #options: BatchOptions<Write>;
  /** The writes that no commit has taken yet, in order of arrival. */
  #waiting: Write[] = [];
  #state = IDLE;
  /** How many of the next commits do not wait for clients, because not all of them came to the last wait. */
  #commitsWithoutWait = 0;
  /** Whether {@link Batch.close} was called. */
  isClosed = false;

  /** Makes a batch in which no write waits yet. */
  constructor(options: BatchOptions<Write>) {
    this.#options = options;
  }

  /** How many writes wait or are being committed. */
  get unsettled(): number {
    const inFlight = this.#state.kind === "committing" ? this.#state.count : 0;
    return this.#waiting.length + inFlight;
  }

  /**
   * Adds a write to the next commit.
   *
   * @throws {StoreUnavailableError} If the batch is closed, or too many writes wait.
   */
  add(write: Write): void {
    if (this.isClosed) throw storeClosed();
    if (this.unsettled >= MAX_UNSETTLED) {
      throw new StoreUnavailableError(`Too many creates wait for ${this.#options.resource}`);
    }
    this.#waiting.push(write);
    const state = this.#state;
    if (state.kind === "idle") this.#gather();
    else if (state.kind !== "committing" && this.#waiting.length >= state.enough) this.#commit();
  }

  /**
   * Refuses further writes, and resolves when all that were accepted are settled. It returns no
   * promise if they are settled already.
   */
  close(): MaybePromise<void> {
    this.isClosed = true;
    this.#commit();
    return this.#state.kind === "committing" ? this.#whenIdle() : undefined;
  }

  async #whenIdle(): Promise<void> {
    while (this.#state.kind === "committing") await this.#state.done;
  }

  /** Starts a commit after a turn of the event loop in which no write came. If no write waits, the batch is idle. */
  #gather(): void {
    const countBefore = this.#waiting.length;
    if (countBefore === 0) {
      this.#state = IDLE;
      return;
    }
    const turn = setImmediate(() => {
      const hasGrown = this.#waiting.length > countBefore;
      if (hasGrown) this.#gather();
      else this.#commit();
    });
    this.#state = { kind: "gathering", enough: FULL_BATCH, cancel: () => clearImmediate(turn) };
  }

  /** Starts a commit of the writes that wait, unless one runs. */
  #commit(): void {
    const state = this.#state;
    if (state.kind === "committing") return;
    if (state.kind !== "idle") state.cancel();
    this.#state = IDLE;
    if (this.#waiting.length === 0) return;
    const { choose, commit } = this.#options;
    const { chosen, rest } = choose?.(this.#waiting) ?? { chosen: this.#waiting, rest: [] };
    this.#waiting = rest;
    const count = chosen.length;
    const startedAt = performance.now();
    const result = commit(chosen);
    if (isPromise(result)) {
      const done = result.then(() => this.#afterCommit(count, performance.now() - startedAt));
      this.#state = { kind: "committing", count, done };
    } else {
      this.onCommit?.(count, performance.now() - startedAt);
      // No client could send a write during a commit that has blocked this thread, so it shows nothing of their rhythm.
      this.#continue();
    }
  }

  /** Tells of a commit that has ended, and waits for its clients if they may send more. */
  #afterCommit(count: number, milliseconds: number): void {
    this.#state = IDLE;
    this.onCommit?.(count, milliseconds);
    // Each client waits for one write. So if the commit has answered two, and a third waits, there are three clients.
    const clients = count + this.#waiting.length;
    // A single client is not waited for: its next write is committed in the turn of the event loop after it comes.
    if (this.#options.expectsClients && !this.isClosed && clients > 1) this.#awaitClients(clients, milliseconds);
    else this.#continue();
  }

  #continue(): void {
    if (this.isClosed) this.#commit();
    else this.#gather();
  }

  /**
   * Starts a commit when as many writes wait as there are clients, or gathers after about as long
   * as the last commit took. A client that a commit has answered sends its next write within a
   * moment. If the next commit started just before, that write would have to wait for the whole of
   * it, and then for its own.
   */
  #awaitClients(clients: number, commitMs: number): void {
    if (this.#commitsWithoutWait > 0) {
      this.#commitsWithoutWait--;
      return this.#gather();
    }
    const onTimeout = () => {
      // The clients have changed their rhythm.
      this.#commitsWithoutWait = COMMITS_WITHOUT_WAIT;
      this.#gather();
    };
    const timer = setTimeout(onTimeout, Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, commitMs)));
    this.#state = { kind: "awaitingClients", enough: clients, cancel: () => clearTimeout(timer) };
  }
}
