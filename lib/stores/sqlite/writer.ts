/** Collects the creates of a store, and has them committed: see `committer.ts`. */

import { Batch } from "../batch.ts";
import { chain, type MaybePromise } from "../../maybe_promise.ts";
import { requireValid } from "../status_code.ts";
import type { IdempotentOutcome, IdempotentRequest, PetDraft } from "../store.ts";
import type { Committer } from "./committer.ts";
import type { Create } from "./insert.ts";

export class Writer {
  readonly batch: Batch<Create>;
  readonly #committer: Committer;

  constructor(committer: Committer) {
    this.#committer = committer;
    const commit = (creates: Create[]) => committer.commit(creates);
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
    return chain(this.batch.close(), () => this.#committer.close());
  }
}

function requireTypes({ key, fingerprint, retentionMs }: IdempotentRequest): void {
  if (typeof key !== "string" || typeof fingerprint !== "string" || !Number.isSafeInteger(retentionMs)) {
    throw new TypeError("A request has a key and a fingerprint, which are strings, and retentionMs, a whole number");
  }
}
