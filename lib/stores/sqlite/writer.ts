import { Batch } from "../batch.ts";
import { chain, type MaybePromise } from "../../promises.ts";
import { StoreUnavailableError } from "../store.ts";
import { type Outcome, type PendingWrite, requireValidWrite, uncertain, type Write } from "../write.ts";
import { isBusy } from "./errors.ts";
import type { WriteTransactions } from "./write_transactions.ts";
import { ThreadLine, type WriterOwner } from "./writer_link.ts";
import { BUSY_TIMEOUT } from "./transaction.ts";
import { errorOf } from "./writer_messages.ts";

/** The pause between attempts to get the write lock, in milliseconds. Reads go on meanwhile. */
const RETRY_DELAY = 1;

/** How much of the longest commit still counts after the next one. */
export const DECAY = 0.9;

/** The way to the thread that writes. */
export type WriterLink = Pick<WriterOwner, "connect" | "close">;

/** What a {@link Writer} needs. */
export interface WriterOptions {
  /** The transactions that commit on the calling thread. */
  transactions: Pick<WriteTransactions, "commit">;
  /** Called after each commit, before the promises of the writes resolve. */
  onCommitted(writes: readonly Write[]): void;
  /** The thread that writes. Without it, the calling thread commits. */
  thread?: WriterLink | undefined;
  /** While commits take less than this, the calling thread commits a lone create. In milliseconds. Default: 0, never. */
  shortCommitMs?: number;
  /** Whether the next commit may take seconds, because it has to write a long log back. The calling thread then leaves it to the other. */
  isLogLong?(): boolean;
}

/**
 * Collects the writes of a store in batches, and commits each batch in one transaction: on the calling thread while that is fast and a
 * create is alone, otherwise on the thread that writes, so that reads do not wait for the disk.
 */
export class Writer {
  readonly batch: Batch<PendingWrite>;
  readonly #transactions: Pick<WriteTransactions, "commit">;
  readonly #onCommitted: (writes: readonly Write[]) => void;
  /** Starts the thread that writes. It is undefined if no thread can be started, and the calling thread then commits everything. */
  #owner: WriterLink | undefined;
  /** The open line to the thread. It is replaced when the thread has ended. */
  #line: ThreadLine | undefined;
  /** The longest of the last commits, in milliseconds. */
  #longest = 0;

  /** Makes a writer that has nothing to commit yet. */
  constructor({ transactions, onCommitted, thread, shortCommitMs = 0, isLogLong = () => false }: WriterOptions) {
    this.#transactions = transactions;
    this.#onCommitted = onCommitted;
    this.#owner = thread;
    const isShort = (pending: readonly PendingWrite[]) =>
      pending.length === 1 && this.#longest < shortCommitMs && !isLogLong();
    const commit = (pending: PendingWrite[]) =>
      this.#owner && !isShort(pending) ? this.#commitThere(pending) : this.#commit(pending);
    this.batch = new Batch({ resource: "the disk", commit, expectsClients: true });
  }

  /** Rejects at once if the write is invalid, so that it does not fail those of its batch. */
  write(write: Write): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      requireValidWrite(write);
      if ("pet" in write) {
        const { name, categoryId, status } = write.pet;
        // A caller's object may have members that no message can carry.
        write = { ...write, pet: { name, categoryId, status } };
      }
      this.batch.add({ write, resolve, reject });
    });
  }

  close(): MaybePromise<void> {
    return chain(this.batch.close(), () => {
      this.#line?.close();
      return this.#owner?.close();
    });
  }

  #commit(pending: readonly PendingWrite[], deadline = performance.now() + BUSY_TIMEOUT): MaybePromise<void> {
    const writes = pending.map(({ write }) => write), begin = performance.now();
    try {
      return this.#settle(pending, writes, this.#transactions.commit(writes, 0));
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) return rejectAll(pending, error);
    } finally {
      this.#noteDuration(performance.now() - begin);
    }
    return new Promise((resolve) => setTimeout(resolve, RETRY_DELAY)).then(() => this.#commit(pending, deadline));
  }

  async #commitThere(pending: readonly PendingWrite[]): Promise<void> {
    try {
      if (!this.#line || this.#line.hasEnded) this.#line = await this.#connect();
      if (!this.#line) return await this.#commit(pending);
      const writes = pending.map(({ write }) => write);
      const reply = await this.#line.call(writes);
      if (reply?.kind === "failure") throw errorOf(reply);
      if (reply?.kind !== "outcomes") throw uncertain(new Error("The thread that writes has ended"));
      // The duration is that of the commit alone. The way to the thread and back is not counted: it is long while this
      // thread is busy.
      this.#noteDuration(reply.milliseconds);
      this.#settle(pending, writes, reply.outcomes);
    } catch (error) {
      rejectAll(pending, error);
    }
  }

  #noteDuration(milliseconds: number): void {
    // One fast commit says little about a disk that other programs use.
    this.#longest = Math.max(milliseconds, DECAY * this.#longest);
  }

  async #connect(): Promise<ThreadLine | undefined> {
    // It tries twice, because a thread that has just ended may still pass for one that runs.
    for (let attempt = 0; attempt < 2; attempt++) {
      const port = this.#owner?.connect();
      if (!port) {
        // No thread can be started here, so this thread commits from now on.
        this.#owner = undefined;
        return undefined;
      }
      const line = new ThreadLine(port);
      const greeting = await line.receive();
      if (greeting?.kind === "ready") return line;
      line.close();
      if (greeting?.kind === "failure") throw errorOf(greeting);
    }
    throw new StoreUnavailableError("The thread that writes cannot be started at the moment");
  }

  #settle(pending: readonly PendingWrite[], writes: readonly Write[], outcomes: readonly Outcome[]): void {
    this.#onCommitted(writes);
    for (const [i, { resolve }] of pending.entries()) resolve(outcomes[i]!);
  }
}

function rejectAll(pending: readonly PendingWrite[], error: unknown): void {
  for (const { reject } of pending) reject(error);
}
