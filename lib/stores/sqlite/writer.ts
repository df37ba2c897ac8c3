/**
 * Collects the creates of a store, and commits them: on a thread that writes, or on the calling thread, which each commit stops. A
 * message to a thread and back costs more than a commit on a fast disk.
 */

import { Batch } from "../batch.ts";
import { chain, type MaybePromise } from "../../maybe_promise.ts";
import { requireValid } from "../status_code.ts";
import {
  type IdempotentOutcome,
  type IdempotentRequest,
  type PetDraft,
  StoreUnavailableError,
  uncertain,
} from "../store.ts";
import { isBusy } from "./errors.ts";
import type { NewRow, Transactions } from "./insert.ts";
import { BUSY_TIMEOUT } from "./transaction.ts";
import {
  encodeBatch,
  type Greeting,
  type Settled,
  toError,
  type WriterAccess,
  type WriterPort,
} from "./writer_messages.ts";

/** The pause between attempts of the calling thread to get the write lock, in milliseconds. Reads go on meanwhile. */
const RETRY_DELAY = 1;

/** How many commits the calling thread tries. The first ones may take longer than later ones. */
const TRIALS = 4;

/** A create that waits, with the functions that settle its promise. */
interface Create extends NewRow {
  resolve(outcome: IdempotentOutcome): void;
  reject(error: unknown): void;
}

export class Writer {
  readonly batch: Batch<Create>;
  readonly #transactions: Pick<Transactions, "commit">;
  readonly #onCommitted: () => void;
  readonly #access: WriterAccess | undefined;
  #thread: ThreadLine | undefined;
  readonly #short: number;
  /** How many commits the calling thread still tries. */
  #trials: number;
  /** Where creates are committed. Decided once, at the first creates. */
  #place: "thread" | "here" | undefined;

  /**
   * @param onCommitted Called after a commit, before the promises of its creates resolve.
   * @param access The way to a thread. Without it, or if no thread can be started, the calling thread commits.
   * @param short The calling thread tries the first commits, and goes on if one takes less than this, in milliseconds. With 0, the
   * thread commits from the start.
   */
  constructor(
    transactions: Pick<Transactions, "commit">,
    onCommitted: () => void,
    access?: WriterAccess,
    short: number = 0,
  ) {
    this.#transactions = transactions;
    this.#onCommitted = onCommitted;
    this.#access = access;
    this.#short = short;
    this.#trials = short === 0 ? 0 : TRIALS;
    if (!access) this.#place = "here";
    const commit = (creates: Create[]) =>
      this.#place === "here" || this.#trials > 0 ? this.#commit(creates) : this.#commitThere(creates);
    this.batch = new Batch({ resource: "the disk", commit, expectsClients: true });
  }

  /** Adds a pet, unless the request is remembered, and resolves when it is on disk. */
  add(pet: PetDraft, request?: IdempotentRequest): Promise<IdempotentOutcome> {
    return new Promise((resolve, reject) => {
      if (request) requireTypes(request);
      // Bigints only, because `node:sqlite` binds a JavaScript number as REAL.
      const status = BigInt(requireValid(pet));
      this.batch.add({ row: [pet.name, pet.categoryId, status], request, resolve, reject });
    });
  }

  /** Rejects if a create would fail. Commits like a create, but without a pet. */
  async probe(): Promise<void> {
    await new Promise((resolve, reject) => this.batch.add({ row: undefined, request: undefined, resolve, reject }));
  }

  /** Accepts no more creates, and commits those that wait. */
  close(): MaybePromise<void> {
    return chain(this.batch.close(), () => {
      this.#thread?.close();
      return this.#access?.close();
    });
  }

  #commit(creates: readonly Create[], deadline = performance.now() + BUSY_TIMEOUT): MaybePromise<void> {
    const startedAt = performance.now();
    try {
      const outcomes = this.#transactions.commit(creates, 0);
      if (this.#trials-- > 0 && performance.now() - startedAt < this.#short) this.#place = "here";
      return this.#settle(creates, outcomes);
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) return rejectAll(creates, error);
    }
    return new Promise((resolve) => setTimeout(resolve, RETRY_DELAY)).then(() => this.#commit(creates, deadline));
  }

  async #commitThere(creates: readonly Create[]): Promise<void> {
    try {
      if (!this.#thread || this.#thread.hasEnded) this.#thread = await this.#connect();
      if (!this.#thread) return await this.#commit(creates);
      const outcomes = await this.#thread.call(encodeBatch(creates)) as Settled[] | undefined;
      if (!outcomes) throw uncertain(new Error("The thread that writes has ended"));
      this.#settle(creates, outcomes);
    } catch (error) {
      rejectAll(creates, error);
    }
  }

  /** Returns undefined if no thread can be started at all. */
  async #connect(): Promise<ThreadLine | undefined> {
    // Twice, because a thread that has just ended may still pass for one that runs.
    for (let attempt = 0; attempt < 2; attempt++) {
      const port = await this.#access?.connect();
      const line = port && new ThreadLine(port);
      const greeting = await line?.receive() as Greeting | undefined;
      this.#place ??= greeting ? "thread" : "here";
      if (greeting === "ready") return line;
      line?.close();
      if (greeting) throw toError(greeting);
      if (this.#place === "here") return undefined;
    }
    throw new StoreUnavailableError("The thread that writes cannot be started at the moment");
  }

  #settle(creates: readonly Create[], outcomes: readonly Settled[]): void {
    this.#onCommitted();
    for (const [i, { resolve, reject }] of creates.entries()) {
      const settled = outcomes[i]!;
      if (typeof settled === "bigint") resolve({ outcome: "created", id: settled });
      else if ("outcome" in settled) resolve(settled);
      else reject(toError(settled));
    }
  }
}

/** A port to a thread, which sends one message at a time. */
class ThreadLine {
  hasEnded = false;
  readonly #port: WriterPort;
  #message = Promise.withResolvers<unknown>();

  constructor(port: WriterPort) {
    this.#port = port;
    port.onmessage = ({ data }) => this.#message.resolve(data);
    port.addEventListener("close", () => {
      this.hasEnded = true;
      this.#message.resolve(undefined);
    });
  }

  call(message: unknown): Promise<unknown> {
    this.#port.postMessage(message);
    return this.receive();
  }

  /** The next message. Undefined if the thread has ended. */
  async receive(): Promise<unknown> {
    // A store without creates in flight does not keep the process alive.
    this.#port.ref?.();
    const message = await this.#message.promise;
    this.#message = Promise.withResolvers();
    this.#port.unref?.();
    return message;
  }

  close(): void {
    this.#port.close();
  }
}

function rejectAll(creates: readonly Create[], error: unknown): void {
  for (const { reject } of creates) reject(error);
}

function requireTypes({ key, fingerprint, retentionMs }: IdempotentRequest): void {
  if (typeof key !== "string" || typeof fingerprint !== "string" || !Number.isSafeInteger(retentionMs)) {
    throw new TypeError("A request has a key and a fingerprint, which are strings, and retentionMs, a whole number");
  }
}
