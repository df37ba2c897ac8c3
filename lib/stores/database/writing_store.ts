/**
 * What stores on a database write, and what comes of it. Each kind of write is a member of a union.
 * A store has a `switch` over the kinds, in a function that returns the outcome. The function does
 * not compile if it forgets a kind.
 */

import type { MaybePromise } from "../../promises.ts";
import { type IdempotentOutcome, type IdempotentRequest, type PetDraft, StoreUnavailableError } from "../store.ts";

/** What a store writes: a create, a create with a request to remember, or a probe. */
export type Write =
  | { kind: "create"; pet: PetDraft }
  | { kind: "createOnce"; pet: PetDraft; request: IdempotentRequest }
  /** A commit that changes no pet, and shows whether a create would succeed. */
  | { kind: "probe" };

/** The outcome of each kind of {@link Write}. */
export interface Outcomes {
  /** The pet was added, under this id. */
  create: { outcome: "created"; id: bigint };
  /** The pet was added, or the request was known. */
  createOnce: IdempotentOutcome;
  /** A create would succeed now. */
  probe: { outcome: "probed" };
}

/** The outcome of a {@link Write} of any kind. */
export type Outcome = Outcomes[Write["kind"]];

/** A write whose caller waits for its outcome. */
export interface PendingWrite {
  /** The write itself. */
  write: Write;
  /** Tells the caller the outcome, once it is on disk and others can see it. */
  resolve(outcome: Outcome): void;
  /** Tells the caller that the write has failed, or that its outcome is not known. */
  reject(error: unknown): void;
}

/** The writing methods of a store, which all call one method, `write()`. */
export abstract class WritingStore {
  /** Carries out a write, and resolves when it is durable. */
  abstract write<W extends Write>(write: W): Promise<Outcomes[W["kind"]]>;

  /** Waits for the writes that have started, then frees what the store has opened. Later writes are refused. */
  abstract close(): MaybePromise<void>;

  /** Adds a pet, and returns its id. */
  async create(pet: PetDraft): Promise<bigint> {
    const { id } = await this.write({ kind: "create", pet });
    return id;
  }

  /** Adds a pet unless the request is known. */
  createOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    return this.write({ kind: "createOnce", pet, request });
  }

  /** Commits a write that changes no pet. Rejects if a create would fail. */
  async checkWrites(): Promise<void> {
    await this.write({ kind: "probe" });
  }

  /** Closes the store at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Makes the error of a write whose outcome is not known, from the failure that hides the outcome.
 *
 * @param what What the write would have stored.
 */
export function uncertainOutcomeError(
  { message, cause, isTemporary = false }: { message: string; cause?: unknown; isTemporary?: boolean },
  what = "pet",
): StoreUnavailableError {
  const text = `${message}; the ${what} may have been stored`;
  return new StoreUnavailableError(text, { cause, mayBeStored: true, isTemporary });
}

/** The error of a call to a store that has been closed. */
export function storeClosed(): StoreUnavailableError {
  return new StoreUnavailableError("The store has been closed");
}
