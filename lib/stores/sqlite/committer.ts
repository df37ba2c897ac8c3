/** Where creates are committed: on the calling thread, or on one that writes. A store decides this once. */

import type { MaybePromise } from "../../maybe_promise.ts";
import { StoreUnavailableError } from "../store.ts";
import { RETRY_DELAY, type Transactions } from "./commit.ts";
import type { Create } from "./insert.ts";
import { encodeBatch, settleBatch, type WriterAccess, type WriterPort, type WriterReply } from "./writer_messages.ts";

export interface Committer {
  /**
   * Commits creates in one transaction, and settles each of them. Throws and rejects nothing. The next call comes when this one
   * has ended.
   */
  commit(creates: readonly Create[]): MaybePromise<void>;
  /** Called when no commit runs. */
  close(): MaybePromise<void>;
}

/** Commits on the calling thread, which each commit stops. */
export class LocalCommitter implements Committer {
  readonly #transactions: Pick<Transactions, "commit">;
  readonly #onCommitted: () => void;

  /** @param onCommitted Called after a commit, before the promises of its creates resolve. */
  constructor(transactions: Pick<Transactions, "commit">, onCommitted: () => void) {
    this.#transactions = transactions;
    this.#onCommitted = onCommitted;
  }

  commit(creates: readonly Create[]): MaybePromise<void> {
    if (!this.#transactions.commit(creates)) return this.#retry(creates);
    this.#onCommitted();
  }

  async #retry(creates: readonly Create[]): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
    await this.commit(creates);
  }

  close(): void {}
}

/**
 * Sends creates to the thread that writes, which starts with the first of them. If no thread can be started at all, the calling
 * thread commits from then on. A thread that has ended is replaced.
 */
export class ThreadCommitter implements Committer {
  readonly #access: WriterAccess;
  readonly #local: Committer;
  readonly #onCommitted: () => void;
  #port: WriterPort | undefined;
  #decision: "thread" | "same-thread" | undefined;
  /** The reply that a commit waits for. */
  #reply: PromiseWithResolvers<WriterReply> | undefined;

  /**
   * @param local Commits if no thread can be started.
   * @param onCommitted As for {@link LocalCommitter}.
   */
  constructor(access: WriterAccess, local: Committer, onCommitted: () => void) {
    this.#access = access;
    this.#local = local;
    this.#onCommitted = onCommitted;
  }

  async commit(creates: readonly Create[]): Promise<void> {
    try {
      if (this.#decision !== "same-thread") this.#port ??= await this.#connect();
      if (!this.#port) return await this.#local.commit(creates);
      const reply = await this.#send(this.#port, creates);
      this.#onCommitted();
      settleBatch(creates, reply);
    } catch (error) {
      for (const { reject } of creates) reject(error);
    }
  }

  close(): MaybePromise<void> {
    this.#disconnect();
    return this.#access.close();
  }

  /** Returns undefined if no thread can be started at all. */
  async #connect(): Promise<WriterPort | undefined> {
    let isLost = false;
    const port = await this.#access.connect(() => {
      isLost = true;
      this.#handleLoss();
    });
    this.#decision ??= port ? "thread" : "same-thread";
    if (this.#decision === "same-thread") return undefined;
    if (!port || isLost) {
      port?.close();
      throw new StoreUnavailableError("The thread that writes cannot be started at the moment");
    }
    port.onmessage = ({ data }) => this.#reply?.resolve(data as WriterReply);
    return port;
  }

  async #send(port: WriterPort, creates: readonly Create[]): Promise<WriterReply> {
    this.#reply = Promise.withResolvers();
    port.ref?.();
    port.postMessage(encodeBatch(creates));
    const reply = await this.#reply.promise;
    port.unref?.();
    return reply;
  }

  #handleLoss(): void {
    this.#disconnect();
    this.#reply?.reject(new StoreUnavailableError("The thread that writes has ended; the pet may have been stored"));
  }

  #disconnect(): void {
    this.#port?.close();
    this.#port = undefined;
  }
}
