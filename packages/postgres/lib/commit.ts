import { type IdempotentRequest, StoreUnavailableError } from "@petstore/petstore/store";
import {
  Batch,
  FULL_BATCH,
  type Outcome,
  type PendingWrite,
  requireValid,
  storeClosed,
  type Write,
} from "@petstore/petstore/store/toolkit";
import { addPets } from "./add_pets.ts";
import type { StatementQueue } from "./client/statement_queue.ts";
import { deleteStatement } from "./statements.ts";

/** A create that waits for its commit. */
interface Create extends PendingWrite {
  write: Exclude<Write, { kind: "probe" }>;
  /** When the create came, in milliseconds as in `performance.now()`. */
  arrivedAt: number;
}

/** Expired requests are deleted after this many creates with a key. */
const CREATES_PER_DELETION = 500;

/**
 * How many requests one deletion deletes at most: more than are added between two, and few enough
 * for a short transaction.
 */
const MAX_DELETED = 2000;

/** Commits the creates of a store in batches, each by one statement. The head of mod.ts shows their way. */
export class GroupCommit {
  /** The batch runs one statement at a time: a second one would only wait for the lock of the first. */
  readonly batch: Batch<Create>;
  readonly #db: StatementQueue;
  /**
   * How many creates with a key come before the next deletion. The first one starts a deletion too,
   * so that restarts leave nothing behind.
   */
  #createsToDeletion = 1;

  constructor(db: StatementQueue) {
    this.#db = db;
    this.batch = new Batch({
      resource: "PostgreSQL",
      choose: chooseCreates,
      commit: (waiting) => this.#commit(waiting),
    });
  }

  write(write: Write): Promise<Outcome> {
    switch (write.kind) {
      case "create":
      case "createOnce":
        return this.#add(write);
      case "probe":
        return this.#probe();
    }
  }

  #add(write: Create["write"]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      requireValid(write.pet);
      if (write.pet.name.includes("\0")) throw new TypeError("The name of a pet on PostgreSQL cannot contain U+0000");
      this.batch.add({ write, arrivedAt: performance.now(), resolve, reject });
    });
  }

  /** Finds out whether a create would succeed, by the statement of a create without a pet. */
  async #probe(): Promise<Outcome> {
    if (this.batch.isClosed) throw storeClosed();
    await addPets(this.#db, [], [], performance.now() + this.#db.timeoutMs);
    return { outcome: "probed" };
  }

  /** Settles the creates of a batch. Those with a key come first. */
  async #commit(waiting: readonly Create[]): Promise<void> {
    const { timeoutMs } = this.#db;
    // A create may wait for others for half of the time limit. The other half is for its own statement.
    const creates = refuseOlder(waiting, performance.now() - timeoutMs / 2);
    if (creates.length === 0) return;
    const pets = creates.map(({ write }) => write.pet);
    const requests = creates.flatMap((create) => requestOf(create) ?? []);
    // The statement must end in time for the oldest create, because no pet may be stored after its
    // client has been refused.
    const deadline = Math.min(...creates.map(({ arrivedAt }) => arrivedAt)) + timeoutMs;
    try {
      const outcomes = await addPets(this.#db, pets, requests, deadline);
      for (const [i, { resolve }] of creates.entries()) resolve(outcomes[i]!);
      this.#countRequests(requests.length);
    } catch (error) {
      for (const { reject } of creates) reject(error);
    }
  }

  /**
   * Deletes expired requests now and then, in separate statements, so that no create waits for
   * them. If a deletion fails, a later one catches up.
   */
  #countRequests(count: number): void {
    this.#createsToDeletion -= count;
    if (this.#createsToDeletion > 0) return;
    this.#createsToDeletion = CREATES_PER_DELETION;
    this.#db.query(deleteStatement(this.#db.schema), [String(MAX_DELETED)]).catch(() => {});
  }
}

/** Refuses the creates that came before a moment, and returns the others. */
function refuseOlder(waiting: readonly Create[], earliestArrival: number): Create[] {
  const inTime: Create[] = [];
  for (const create of waiting) {
    if (create.arrivedAt >= earliestArrival) inTime.push(create);
    else create.reject(new StoreUnavailableError("PostgreSQL did not finish the earlier creates in time"));
  }
  return inTime;
}

/**
 * Chooses the creates of a commit. Those with a key come first, as `add_pets` requires. Of several
 * creates with one key, only the first is chosen, and the others wait.
 */
function chooseCreates(waiting: readonly Create[]): { chosen: Create[]; rest: Create[] } {
  const keyed = new Map<string, Create>();
  const plain: Create[] = [];
  const rest: Create[] = [];
  for (const create of waiting) {
    const isFull = keyed.size + plain.length >= FULL_BATCH;
    const key = requestOf(create)?.key;
    if (isFull || (key !== undefined && keyed.has(key))) rest.push(create);
    else if (key === undefined) plain.push(create);
    else keyed.set(key, create);
  }
  return { chosen: [...keyed.values(), ...plain], rest };
}

function requestOf({ write }: Create): IdempotentRequest | undefined {
  return write.kind === "createOnce" ? write.request : undefined;
}
