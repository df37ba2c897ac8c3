import { statSync } from "node:fs";
import { chain, type MaybePromise, sleep } from "../../promises.ts";
import { Batch } from "../database/batch.ts";
import {
  type Outcome,
  type Outcomes,
  type PendingWrite,
  uncertainOutcomeError,
  type Write,
} from "../database/writing_store.ts";
import { requireValid } from "../status_code.ts";
import type { Connection } from "./connection.ts";
import { explained, isBusy } from "./errors.ts";
import { LOG_LIMIT_BYTES, openSecondConnection } from "./open.ts";
import type { OpenedFiles } from "./opened_files.ts";
import { answerRequests, startThread, type Thread, ThreadEnded } from "./thread.ts";
import { BUSY_TIMEOUT_MS } from "./transaction.ts";
import { WriteTransactions } from "./write_transactions.ts";

/**
 * While commits take less than this, a lone create may be committed on the calling thread.
 * `docs/decisions.md` has the measurements of both ways.
 */
const SHORT_COMMIT_MS = 2;

/** The pause between attempts to get the write lock. Reads go on meanwhile. */
const RETRY_DELAY_MS = 1;

/**
 * With each commit, the duration of the longest one so far is multiplied by this, so that it is
 * forgotten after a while. After a commit of 20 ms, the thread takes the next 22 commits too,
 * because a disk that other programs use is fast in between.
 */
const DURATION_DECAY = 0.9;

/**
 * Which thread commits the creates:
 *
 * - `always`: a thread of the store's own.
 * - `never`: the thread that serves commits all creates.
 * - `auto`: the thread that serves commits a lone create while commits are short, and the thread of
 *   the store's own commits all others.
 */
export type WriterThread = "auto" | "always" | "never";

/** Commits the batches that it is sent. The request `close` closes its connection, and commits nothing. */
type WritingThread = Thread<readonly Write[] | "close", Committed>;

/** The outcomes of a batch, and the duration of its commit alone. */
interface Committed {
  outcomes: Outcome[];
  milliseconds: number;
}

/**
 * Collects the writes of a store in batches, and commits each batch in one transaction: on the
 * calling thread while that is fast and a create is alone, otherwise on the thread that writes, so
 * that reads do not wait for the disk.
 */
export class Writer {
  readonly batch: Batch<PendingWrite>;
  /** The transactions that commit on the calling thread. */
  readonly #transactions: WriteTransactions;
  readonly #writerThread: WriterThread;
  /** The thread that writes, once it has been started. It may have ended since. */
  #thread: WritingThread | undefined;
  /** The duration of the longest of the last commits: see {@link DURATION_DECAY}. */
  #longestMs = 0;

  /** Makes a writer that has nothing to commit yet. */
  constructor(connection: Connection, writerThread: WriterThread) {
    this.#transactions = new WriteTransactions(connection);
    this.#writerThread = writerThread;
    const commit = (pending: PendingWrite[]) => this.#commit(pending);
    this.batch = new Batch({ resource: "the disk", commit, expectsClients: true });
  }

  /** Carries out a write. An invalid one rejects at once, so that it does not fail the others of its batch. */
  write<W extends Write>(write: W): Promise<Outcomes[W["kind"]]> {
    // What this function throws rejects the promise.
    return new Promise((resolve, reject) => {
      // `WriteTransactions` gives each write an outcome of its kind.
      this.batch.add({ write: validated(write), resolve: resolve as PendingWrite["resolve"], reject });
    });
  }

  close(): MaybePromise<void> {
    return chain(this.batch.close(), () => this.#thread && this.#endThread(this.#thread));
  }

  /** Lets the thread close its connection, and ends it. */
  async #endThread(thread: WritingThread): Promise<void> {
    // If the thread has ended by itself, nothing is left to close.
    await thread.ask("close").catch(() => {});
    await thread.end();
  }

  #commit(pending: readonly PendingWrite[]): MaybePromise<void> {
    const thread = this.#threadFor(pending);
    return thread ? this.#commitOnThread(thread, pending) : this.#commitHere(pending);
  }

  /**
   * The thread that is to commit a batch. It starts when it is first needed, and again when it has
   * ended. The result is undefined if the calling thread is to commit, which it also does while no
   * thread can be started.
   */
  #threadFor(pending: readonly PendingWrite[]): WritingThread | undefined {
    const { files } = this.#transactions.connection;
    // A database in memory has no files, and belongs to one connection, so no other thread can write to it.
    if (this.#writerThread === "never" || !files) return undefined;
    if (this.#writerThread === "auto" && this.#isShort(pending, files)) return undefined;
    if (!this.#thread || this.#thread.hasEnded) this.#thread = startThread(import.meta.url, files);
    return this.#thread;
  }

  /** Whether a commit most likely takes so little time that it may block the calling thread. */
  #isShort(pending: readonly PendingWrite[], files: OpenedFiles): boolean {
    return pending.length === 1 && this.#longestMs < SHORT_COMMIT_MS && !isLogLong(files);
  }

  /**
   * Commits on the calling thread. While another connection has the lock, it tries again and again,
   * until the deadline.
   */
  #commitHere(pending: readonly PendingWrite[], deadline = performance.now() + BUSY_TIMEOUT_MS): MaybePromise<void> {
    const startedAt = performance.now();
    try {
      resolveAll(pending, this.#transactions.commit(writesOf(pending), 0));
    } catch (error) {
      const mayTryAgain = isBusy(error) && performance.now() < deadline;
      if (mayTryAgain) return sleep(RETRY_DELAY_MS).then(() => this.#commitHere(pending, deadline));
      rejectAll(pending, error);
    } finally {
      this.#noteDuration(performance.now() - startedAt);
    }
  }

  async #commitOnThread(thread: WritingThread, pending: readonly PendingWrite[]): Promise<void> {
    try {
      const { outcomes, milliseconds } = await thread.ask(writesOf(pending));
      // Only the commit itself is measured, by the thread. The way there and back does not count,
      // because it is long while this thread is busy.
      this.#noteDuration(milliseconds);
      resolveAll(pending, outcomes);
    } catch (error) {
      // The thread may have committed the batch before it ended.
      const hasEnded = error instanceof ThreadEnded;
      rejectAll(pending, hasEnded ? uncertainOutcomeError({ message: "The thread that writes has ended" }) : error);
    }
  }

  #noteDuration(milliseconds: number): void {
    // The longest commit is remembered, because one fast commit says little about a disk that other programs use.
    this.#longestMs = Math.max(milliseconds, DURATION_DECAY * this.#longestMs);
  }
}

/**
 * Whether a commit may have to write a log back to the file for so long that reads would notice,
 * which is seconds for a gigabyte. SQLite shortens a log that has been written back. It is longer
 * only if something has read the file for long, such as a backup, or if a killed process has left
 * it so.
 */
function isLogLong({ path }: OpenedFiles): boolean {
  try {
    return statSync(`${path}-wal`).size > LOG_LIMIT_BYTES;
  } catch {
    // The commit will tell what is wrong with the files.
    return false;
  }
}

/**
 * Checks a write, and copies it with its known members alone: a caller's object may have others,
 * which no message to the thread can carry.
 *
 * @throws {TypeError} If the pet is invalid.
 */
function validated(write: Write): Write {
  if (write.kind === "probe") return write;
  requireValid(write.pet);
  const { name, categoryId, status } = write.pet;
  const pet = { name, categoryId, status };
  if (write.kind === "create") return { ...write, pet };
  const { key, fingerprint, retentionMs } = write.request;
  return { ...write, pet, request: { key, fingerprint, retentionMs } };
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

/** The first function that the thread calls. The thread has a connection of its own to the file. */
export function runInThread(): void {
  /** The connection for the transactions is opened for the first batch. If that fails, the next batch tries again. */
  let transactions: WriteTransactions | undefined;

  answerRequests((request: readonly Write[] | "close", files: OpenedFiles): Committed => {
    if (request === "close") {
      // This is never the last connection of the file, because the store closes its own after this thread has ended.
      transactions?.connection.db.close();
      return { outcomes: [], milliseconds: 0 };
    }
    transactions ??= explained(files.givenPath, () => new WriteTransactions(openSecondConnection(files)));
    const startedAt = performance.now();
    const outcomes = transactions.commit(request, BUSY_TIMEOUT_MS);
    return { outcomes, milliseconds: performance.now() - startedAt };
  });
}
