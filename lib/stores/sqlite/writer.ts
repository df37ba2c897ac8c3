/** Collects the creates of a store, and commits them: on the thread that writes, or on this one until that has started. */

import { Batch, type CommitObserver, longestWaitAfter } from "../batch.ts";
import type { MaybePromise } from "../../maybe_promise.ts";
import { statusCode } from "../status_code.ts";
import { type IdempotentOutcome, type IdempotentRequest, type PetDraft, StoreUnavailableError } from "../store.ts";
import { RETRY_DELAY, type Transactions } from "./commit.ts";
import type { Create } from "./insert.ts";
import { encodeBatch, settleBatch, type WriterAccess, type WriterPort, type WriterReply } from "./writer_messages.ts";

/** A thread is started when commits have taken this long here, in milliseconds: about as long as its start. */
const START_AFTER = 50;

/** The pause before another attempt to start a thread, in milliseconds. */
const RECONNECT_DELAY = 10_000;

export class Writer {
  readonly #transactions: Transactions;
  readonly #access: WriterAccess | undefined;
  readonly #onCommitted: () => void;
  readonly #batch: Batch<Create>;
  #port: WriterPort | undefined;
  /** The creates that the thread has not answered yet. */
  #sent: readonly Create[] = [];
  #sentAt = 0;
  #connecting: Promise<void> | undefined;
  #reconnectAt = 0;
  /** How long commits on this thread have taken, in milliseconds. */
  #commitMs = 0;
  /** Whether a timer will retry a commit on this thread that did not get the lock. */
  #isRetrying = false;
  #onIdle: (() => void) | undefined;
  onCommit: CommitObserver | undefined;

  /**
   * @param transactions Commits on this thread.
   * @param onCommitted Called after a commit, before its creates resolve.
   * @param access Without it, all creates are committed on this thread.
   */
  constructor(transactions: Transactions, onCommitted: () => void, access: WriterAccess | undefined) {
    this.#transactions = transactions;
    this.#onCommitted = onCommitted;
    this.#access = access;
    this.#batch = new Batch(() => this.#commit(), "the disk");
  }

  /** Whether a thread commits. */
  get isConnected(): boolean {
    return this.#port !== undefined;
  }

  get waiting(): number {
    return this.#batch.unsettled;
  }

  /** Adds a pet, unless the request is remembered, and resolves when it is on disk. */
  add(pet: PetDraft, request?: IdempotentRequest): Promise<IdempotentOutcome> {
    return new Promise((resolve, reject) => {
      if (request) requireTypes(request);
      this.#batch.add({ row: rowOf(pet), request, resolve, reject });
    });
  }

  /** Rejects if a create would fail. Commits like a create, but without a pet. */
  async probe(): Promise<void> {
    await new Promise((resolve, reject) => this.#batch.add({ row: undefined, request: undefined, resolve, reject }));
  }

  /** Accepts no more creates, and commits those that wait. */
  close(): MaybePromise<void> {
    this.#batch.close();
    if (this.#port === undefined) return;
    const idle = this.#sent.length > 0 && new Promise<void>((resolve) => this.#onIdle = resolve);
    return idle ? idle.then(() => this.#disconnect()) : this.#disconnect();
  }

  #commit(): void {
    const batch = this.#batch;
    if (batch.waiting.length === 0) return;
    if (this.#port === undefined && this.#commitMs >= START_AFTER) void this.connect();
    if (this.#isRetrying && !batch.isClosed) return;
    if (this.#port === undefined) this.#commitLocally();
    else if (this.#sent.length === 0) this.#send(this.#port);
  }

  /** Commits on this thread, also while another starts, so that no create waits for it. */
  #commitLocally(): void {
    const batch = this.#batch;
    const startedAt = performance.now();
    const isCommitted = this.#transactions.commit(batch.waiting, batch.isClosed);
    const duration = performance.now() - startedAt;
    this.#commitMs += duration;
    if (isCommitted) {
      this.onCommit?.(batch.waiting.length, duration);
      batch.waiting = [];
      this.#onCommitted();
      return;
    }
    this.#isRetrying = true;
    setTimeout(() => {
      this.#isRetrying = false;
      this.#commit();
    }, RETRY_DELAY);
  }

  #send(port: WriterPort): void {
    const batch = this.#batch;
    this.#sent = batch.waiting;
    this.#sentAt = performance.now();
    batch.inFlight = batch.waiting.length;
    batch.waiting = [];
    port.ref?.();
    port.postMessage(encodeBatch(this.#sent));
  }

  #receive(reply: WriterReply): void {
    this.#onCommitted();
    settleBatch(this.#sent, reply);
    this.#port?.unref?.();
    const count = this.#sent.length, duration = performance.now() - this.#sentAt;
    this.onCommit?.(count, duration);
    // Does not wait for a single client: without others, its next create is committed at once anyway.
    if (count + this.#batch.waiting.length > 1) this.#batch.expect(count, longestWaitAfter(duration));
    this.#commitNext();
  }

  #commitNext(): void {
    const batch = this.#batch;
    this.#sent = [];
    batch.inFlight = 0;
    if (batch.waiting.length === 0) this.#onIdle?.();
    else if (batch.isClosed) this.#commit();
    else batch.commitSoon();
  }

  /**
   * Connects to the thread. Until then, creates are committed here.
   *
   * @returns Whether there is a thread.
   */
  async connect(): Promise<boolean> {
    const mayConnect = this.#access && !this.#port && !this.#batch.isClosed && performance.now() >= this.#reconnectAt;
    if (mayConnect) await (this.#connecting ??= this.#connect(this.#access));
    return this.#port !== undefined;
  }

  async #connect(access: WriterAccess): Promise<void> {
    let isLost = false;
    let port: WriterPort | undefined;
    try {
      port = await access.connect(() => {
        isLost = true;
        if (port && this.#port === port) this.#handleLoss();
      });
    } catch {
      // No thread. Creates are committed here.
    }
    this.#connecting = undefined;
    if (port === undefined) {
      this.#reconnectAt = performance.now() + RECONNECT_DELAY;
    } else if (isLost || this.#batch.isClosed) {
      port.close();
    } else {
      this.#port = port;
      port.onmessage = ({ data }) => this.#receive(data as WriterReply);
      port.unref?.();
    }
  }

  #handleLoss(): void {
    this.#disconnect();
    // The next one is started at once.
    this.#commitMs = START_AFTER;
    const lost = new StoreUnavailableError("The thread that writes has ended; the pet may have been stored");
    for (const { reject } of this.#sent) reject(lost);
    this.#commitNext();
  }

  #disconnect(): void {
    this.#port?.close();
    this.#port = undefined;
  }
}

/** Uses bigints only, because `node:sqlite` binds a JavaScript number as REAL. */
function rowOf({ name, categoryId, status }: PetDraft): NonNullable<Create["row"]> {
  // A value that cannot be sent to another thread would fail a whole batch.
  if (typeof name !== "string" || typeof categoryId !== "bigint") {
    throw new TypeError("The name of a pet must be a string, and its categoryId a bigint");
  }
  return [name, categoryId, BigInt(statusCode(status))];
}

function requireTypes({ key, fingerprint, retentionMs }: IdempotentRequest): void {
  if (typeof key !== "string" || typeof fingerprint !== "string" || !Number.isSafeInteger(retentionMs)) {
    throw new TypeError("A request has a key and a fingerprint, which are strings, and retentionMs, a whole number");
  }
}
