import { Batch } from "../batch.ts";
import { chain, type MaybePromise, sleep } from "../../promises.ts";
import { requireValid } from "../status_code.ts";
import type { Outcome, PendingWrite, Write } from "../write.ts";
import type { ChangeWatch } from "./change_watch.ts";
import { isBusy } from "./errors.ts";
import { BUSY_TIMEOUT_MS } from "./transaction.ts";
import type { WriteTransactions } from "./write_transactions.ts";
import type { WritingThread } from "./writing_thread.ts";

/** While commits take less than this, a lone create may be committed on the calling thread. */
const SHORT_COMMIT_MS = 2;

/** The pause between attempts to get the write lock. Reads go on meanwhile. */
const RETRY_DELAY_MS = 1;

/** With each commit, the duration of the longest one so far is multiplied by this, so that it is forgotten after a while. */
const DURATION_DECAY = 0.9;

/** What a {@link Writer} needs. */
export interface WriterOptions {
  /** The transactions that commit on the calling thread. */
  transactions: WriteTransactions;
  /** The thread that writes. Without it, the calling thread commits everything. */
  thread: WritingThread | undefined;
  /** Whether the calling thread commits lone creates while that is fast, although there is a thread that writes. */
  mayCommitHere: boolean;
  /** Knows whether the log is long. */
  watch: ChangeWatch;
}

/**
 * Collects the writes of a store in batches, and commits each batch in one transaction: on the calling thread while that is fast and a
 * create is alone, otherwise on the thread that writes, so that reads do not wait for the disk.
 */
export class Writer {
  readonly batch: Batch<PendingWrite>;
  readonly #transactions: WriteTransactions;
  /** The thread that writes. It is undefined where no thread can be started, and the calling thread then commits everything. */
  #thread: WritingThread | undefined;
  readonly #mayCommitHere: boolean;
  readonly #watch: ChangeWatch;
  /** The duration of the longest of the last commits: see {@link DURATION_DECAY}. */
  #longestMs = 0;

  /** Makes a writer that has nothing to commit yet. */
  constructor({ transactions, thread, mayCommitHere, watch }: WriterOptions) {
    this.#transactions = transactions;
    this.#thread = thread;
    this.#mayCommitHere = mayCommitHere;
    this.#watch = watch;
    const commit = (pending: PendingWrite[]) => this.#commit(pending);
    this.batch = new Batch({ resource: "the disk", commit, expectsClients: true });
  }

  /** Carries out a write. An invalid one rejects at once, so that it does not fail the others of its batch. */
  write(write: Write): Promise<Outcome> {
    // What this function throws rejects the promise.
    return new Promise((resolve, reject) => {
      this.batch.add({ write: validated(write), resolve, reject });
    });
  }

  close(): MaybePromise<void> {
    return chain(this.batch.close(), () => this.#thread?.close());
  }

  #commit(pending: readonly PendingWrite[]): MaybePromise<void> {
    const isForThread = this.#thread !== undefined && !this.#isShort(pending);
    return isForThread ? this.#commitOnThread(pending) : this.#commitHere(pending);
  }

  /** Whether a commit most likely takes so little time that it may block the calling thread. */
  #isShort(pending: readonly PendingWrite[]): boolean {
    if (!this.#mayCommitHere || pending.length > 1) return false;
    // A commit that has to write a long log back may take seconds.
    return this.#longestMs < SHORT_COMMIT_MS && !this.#watch.isLogLong;
  }

  /** Commits on the calling thread. While another connection has the lock, it tries again and again. */
  #commitHere(pending: readonly PendingWrite[]): MaybePromise<void> {
    const deadline = performance.now() + BUSY_TIMEOUT_MS;
    const isSettled = this.#tryHere(pending, deadline);
    if (!isSettled) return this.#retryHere(pending, deadline);
  }

  async #retryHere(pending: readonly PendingWrite[], deadline: number): Promise<void> {
    do await sleep(RETRY_DELAY_MS); while (!this.#tryHere(pending, deadline));
  }

  /** Returns whether the callers know the outcome. They do not if another connection has the lock and the deadline has not passed. */
  #tryHere(pending: readonly PendingWrite[], deadline: number): boolean {
    const startedAt = performance.now();
    try {
      resolveAll(pending, this.#transactions.commit(writesOf(pending), 0));
    } catch (error) {
      if (isBusy(error) && performance.now() < deadline) return false;
      rejectAll(pending, error);
    } finally {
      this.#noteDuration(performance.now() - startedAt);
    }
    return true;
  }

  /** Commits on the thread that writes, or here if it cannot be started. */
  async #commitOnThread(pending: readonly PendingWrite[]): Promise<void> {
    try {
      const committed = await this.#thread?.commit(writesOf(pending));
      if (!committed) {
        this.#thread = undefined;
        return await this.#commitHere(pending);
      }
      // Only the commit itself is measured, by the thread. The way there and back does not count, because it is long while this thread is
      // busy.
      this.#noteDuration(committed.milliseconds);
      resolveAll(pending, committed.outcomes);
    } catch (error) {
      rejectAll(pending, error);
    }
  }

  #noteDuration(milliseconds: number): void {
    // The longest commit is remembered, because one fast commit says little about a disk that other programs use.
    this.#longestMs = Math.max(milliseconds, DURATION_DECAY * this.#longestMs);
  }
}

/**
 * Checks a write, and copies it with the members of a pet alone: a caller's object may have others, which no message to the thread can carry.
 *
 * @throws {TypeError} If the pet is invalid.
 */
function validated(write: Write): Write {
  if (write.kind === "probe") return write;
  requireValid(write.pet);
  const { name, categoryId, status } = write.pet;
  return { ...write, pet: { name, categoryId, status } };
}

function writesOf(pending: readonly PendingWrite[]): Write[] {
  return pending.map(({ write }) => write);
}

/** Tells the callers the outcomes, which are in the order of their writes. */
function resolveAll(pending: readonly PendingWrite[], outcomes: readonly Outcome[]): void {
  for (const [i, { resolve }] of pending.entries()) resolve(outcomes[i]!);
}

function rejectAll(pending: readonly PendingWrite[], error: unknown): void {
  for (const { reject } of pending) reject(error);
}
