import type { MaybePromise } from "../maybe_promise.ts";
import type { IdempotentOutcome, IdempotentRequest, PetDraft } from "./store.ts";
import { createdId, createOutcome, type Outcome, type Write } from "./write.ts";

/** A store whose writes all go one way. */
export abstract class WritingStore {
  abstract write(write: Write): Promise<Outcome>;

  abstract close(): MaybePromise<void>;

  async create(pet: PetDraft): Promise<bigint> {
    return createdId(await this.write({ kind: "create", pet }));
  }

  async createOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    return createOutcome(await this.write({ kind: "createOnce", pet, request }));
  }

  async checkWrites(): Promise<void> {
    await this.write({ kind: "probe" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
