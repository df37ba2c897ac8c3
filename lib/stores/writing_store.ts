import type { MaybePromise } from "../promises.ts";
import type { IdempotentOutcome, IdempotentRequest, PetDraft } from "./store.ts";
import { createdId, createOutcome, type Outcome, type Write } from "./write.ts";

/** The writing methods of a store, which all call one method, `write()`. */
export abstract class WritingStore {
  /** Carries out a write, and resolves when it is durable. */
  abstract write(write: Write): Promise<Outcome>;

  /** Waits for the writes that have started, then frees what the store has opened. Later writes are refused. */
  abstract close(): MaybePromise<void>;

  /** Adds a pet, and returns its id. */
  async create(pet: PetDraft): Promise<bigint> {
    return createdId(await this.write({ kind: "create", pet }));
  }

  /** Adds a pet unless the request is known. */
  async createOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    return createOutcome(await this.write({ kind: "createOnce", pet, request }));
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
