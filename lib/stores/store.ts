/** The contract between the service and a store of pets. One test, in `tests/contract/store`, runs against every store. */

import type { NewPet, PetStatus } from "../pet.ts";
import type { Pending } from "../pending.ts";

/** A new pet as the service hands it to a store: validated, and with its status filled in. */
export type PetDraft = Required<NewPet>;

/** Which page of the list to read. */
export interface PetQuery {
  /** Only pets with a greater id; 0 for the first page. Any int64. */
  after: bigint;
  /** The largest number of pets on the page: 1 to 100. */
  limit: number;
  /** Only pets with this status; all pets if absent. */
  status?: PetStatus | undefined;
}

/** Identifies a create, so that the store recognizes it when it is sent again. */
export interface IdempotentRequest {
  /** Identifies the request: 22 characters, each a letter, a digit, `-` or `_`. */
  key: string;
  /** Identifies the pet that is created: 22 characters. The same key with another fingerprint is a misuse of the key. */
  fingerprint: string;
  /**
   * How long to remember the request, in whole milliseconds. A store that several servers share counts it by a clock that
   * they share as well, because their own clocks may differ.
   */
  retentionMs: number;
}

/** The outcome of a create that may be sent again: done now, done before, or the key was used for another pet. */
export type IdempotentOutcome = { outcome: "created" | "replayed"; id: bigint } | { outcome: "reused" };

/** One page of a list. */
export interface PetPage {
  /**
   * The pets in ascending order of `id`: a JSON array as text, exactly as {@link formatPets} writes it. It is text because
   * the service sends it unchanged; a store that can produce it without an object for each pet should.
   */
  json: string;
  /** The id of the last pet on this page, if more pets match after it; otherwise absent. */
  next?: bigint;
}

/**
 * Keeps pets. Each method returns its result or a promise of it, and may be called while earlier calls are still running.
 *
 * **Errors.** A store that cannot serve at the moment throws {@link StoreUnavailableError}, or rejects with it, and the
 * client gets 503. The service treats any other error as a defect and answers 500.
 *
 * **Order.** Ids start at 1 and stay below 2^53. They ascend in the order in which pets become visible, and none is given
 * twice, not even after a restart. A reader that continues after the last id it saw therefore misses no pet.
 *
 * **Atomicity.** A pet is visible completely or not at all, and never changes. A create that fails leaves no pet, unless
 * the store lost its connection and could not learn the outcome.
 *
 * **Durability.** A create resolves once the pet is as safe as the store makes it, and not earlier.
 * {@link createMemoryStore} keeps it until the process ends, `createSqliteStore` survives a loss of power, and
 * `createPostgresStore` survives what a commit of PostgreSQL survives.
 *
 * **Concurrency.** After a create has resolved, every get and list that starts sees the pet. A list shows one moment; two
 * pages may show two moments.
 *
 * **Cost.** Measured in rows touched. A page touches its own rows and one more, wherever it lies and however rare its
 * status is. A get touches one row, a check at most one, a create one and its index entries, and a createOnce up to four
 * more, for the request that it remembers and those that it forgets. Only the depth of an index grows with the number of
 * pets.
 */
export interface PetStore {
  /** Adds a pet and returns its id. */
  create(pet: PetDraft): Pending<bigint>;
  /**
   * Adds a pet like {@link create}, unless the store remembers a request with this key. It stores the pet and the request
   * in one atomic step, and remembers nothing of a create that fails. Of two concurrent calls with one key, the second
   * waits for the first. Expired requests are deleted while new ones arrive.
   *
   * If a store lacks this method, the service answers requests that have an `Idempotency-Key` with 501.
   */
  createOnce?(pet: PetDraft, request: IdempotentRequest): Pending<IdempotentOutcome>;
  /** The pet with this id as JSON text, exactly as {@link formatPet} writes it, or `undefined`. Any int64 is allowed. */
  get(id: bigint): Pending<string | undefined>;
  /** One page of the list. */
  list(query: PetQuery): Pending<PetPage>;
  /**
   * Counters that show whether an earlier answer still holds. With them, the service keeps answers and compares the
   * counters on each read; without this method it reads the store each time. Never throws: while the store cannot tell,
   * `alterations` grows with every call.
   */
  changes?(): StoreChanges;
  /** Returns if the store can serve now, and throws {@link StoreUnavailableError} if it cannot. */
  check(): Pending<void>;
  /** Finishes the creates that have started, then releases all resources. It may be called twice. */
  close(): Pending<void>;
}

/** What has changed since the store was opened, as two counters that never decrease. */
export interface StoreChanges {
  /** Grows whenever pets are added, and otherwise rarely. */
  additions: number;
  /** Grows whenever a visible pet may have changed or disappeared, for example when another program wrote to the file. */
  alterations: number;
}

/** Thrown by a store that cannot serve now or cannot be opened. The message is for the operator, not for the client. */
export class StoreUnavailableError extends Error {
  /** The name that logs show. */
  override name = "StoreUnavailableError";
}

/** The error of a store that has been closed. */
export function storeClosed(): StoreUnavailableError {
  return new StoreUnavailableError("The store has been closed");
}
