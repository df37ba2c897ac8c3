/** Collects the creates of a store, and has them committed: see `committer.ts`. */

import { Batch, type CommitObserver, longestWaitAfter } from "../batch.ts";
import { chain, isPromise, type MaybePromise } from "../../maybe_promise.ts";
import { statusCode } from "../status_code.ts";
import type { IdempotentOutcome, IdempotentRequest, PetDraft } from "../store.ts";
import type { Committer } from "./committer.ts";
import type { Create } from "./insert.ts";

export class Writer {
  readonly #committer: Committer;
  readonly #batch: Batch<Create> = new Batch(() => this.#commit(), "the disk");
  /** Resolves when the commit that runs has ended. */
  #running: Promise<void> | undefined;
  onCommit: CommitObserver | undefined;

  constructor(committer: Committer) {
    this.#committer = committer;
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
    return chain(this.#running && this.#whenIdle(), () => this.#committer.close());
  }

  async #whenIdle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  #commit(): void {
    const batch = this.#batch;
    if (this.#running || batch.waiting.length === 0) return;
    const creates = batch.waiting;
    batch.waiting = [];
    batch.inFlight = creates.length;
    const startedAt = performance.now();
    const commit = this.#committer.commit(creates);
    if (isPromise(commit)) this.#running = commit.then(() => this.#continue(creates.length, startedAt));
    else this.#end(creates.length, startedAt);
  }

  #continue(count: number, startedAt: number): void {
    this.#running = undefined;
    const duration = this.#end(count, startedAt);
    const batch = this.#batch;
    // Does not wait for a single client: without others, its next create is committed at once anyway.
    if (count + batch.waiting.length > 1) batch.expect(count, longestWaitAfter(duration));
    if (batch.isClosed) this.#commit();
    else if (batch.waiting.length > 0) batch.commitSoon();
  }

  #end(count: number, startedAt: number): number {
    this.#batch.inFlight = 0;
    const duration = performance.now() - startedAt;
    this.onCommit?.(count, duration);
    return duration;
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
