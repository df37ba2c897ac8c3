/** The contract between the service and whatever keeps the pets. Every store here passes one and the same test of it. */

import type { NewPet, PetStatus } from "../pet.ts";
import type { Pending } from "../pending.ts";

/** A new pet as a store gets it: checked, and with its status decided. */
export type PetDraft = Required<NewPet>;

/** Which pets a page holds. */
export interface PetQuery {
  /** The page begins with the first pet whose id is greater; 0 for the first page. */
  after: bigint;
  /** The most pets on the page: 1 to 100. */
  limit: number;
  /** Only pets of this status. */
  status?: PetStatus | undefined;
}

/** What tells a create that is sent again from a new one. */
export interface IdempotentRequest {
  /** Identifies the request among all that are remembered: text of 22 characters, letters, digits, `-` and `_`. */
  key: string;
  /** Another text, of as many characters, for every other pet. */
  fingerprint: string;
  /**
   * For how long the request is to be remembered, in whole milliseconds. A store that servers share counts it by a clock
   * that they share too: theirs may differ.
   */
  retentionMs: number;
}

/** What became of a create that may be sent again: done now, done before, or its key has been used for another pet. */
export type IdempotentOutcome = { outcome: "created" | "replayed"; id: bigint } | { outcome: "reused" };

/** One page of a list. */
export interface PetPage {
  /**
   * The pets in ascending order of `id`, as the text of a JSON array, as {@link formatPets} writes it. Text, because a
   * page goes to the socket as it is: a store that can produce it without an object for every pet should.
   */
  json: string;
  /** The id of the last pet on this page if more match after it; otherwise absent. */
  next?: bigint;
}

/**
 * Keeps pets. Every method may answer now or by a promise, and may be called again before an earlier call is done.
 *
 * A store that cannot do what is asked just now throws, or rejects with, {@link StoreUnavailableError}; anything else
 * that it throws is taken for a defect.
 *
 * **Order.** Ids begin at 1, ascend in the order in which pets become visible, are never given twice, not even after a
 * restart, and stay below 2^53. So a reader who goes on after the last id it has seen misses nothing.
 *
 * **Atomicity.** A pet is visible whole or not at all, and never changes. A create that failed leaves no pet behind,
 * unless it failed because its outcome could not be learnt.
 *
 * **Durability.** A create is acknowledged, by returning or resolving, when the pet will survive whatever the store
 * promises to survive, and not before: {@link createMemoryStore} the next call, `createSqliteStore` the loss of power,
 * `createPostgresStore` what a commit of PostgreSQL survives.
 *
 * **Concurrency.** Once a create has been acknowledged, every get and list that begins sees the pet. A list shows one
 * moment; two pages may show two moments.
 *
 * **Cost.** Counted in rows touched, not in time: a page its own rows and one more, wherever it lies and however rare its
 * status; a get one; a create one, and the index of its status; a createOnce up to four more, of what is remembered and
 * forgotten; a check one. Nothing grows with the catalogue but the
 * depth of an index.
 */
export interface PetStore {
  /** Adds a pet and answers with the id it was given. */
  create(pet: PetDraft): Pending<bigint>;
  /**
   * Adds a pet like {@link create}, unless a request with this key is remembered. Pet and memory of the request are made
   * in one step, so no crash comes between them; a create that fails is not remembered. Of two that are under way at once
   * the second waits for the first. What has expired is forgotten soon after as many are remembered anew.
   *
   * A store without it answers no request that has an `Idempotency-Key`: the client gets 501.
   */
  createOnce?(pet: PetDraft, request: IdempotentRequest): Pending<IdempotentOutcome>;
  /** The pet with this id as JSON text, as {@link formatPet} writes it, or `undefined` if there is none. Any int64 may be asked for. */
  get(id: bigint): Pending<string | undefined>;
  /** One page of the list. */
  list(query: PetQuery): Pending<PetPage>;
  /**
   * Counters that tell whether an earlier answer still holds. A store that has them is asked at every read instead of
   * being asked for the pets again; without them nothing is kept. Never throws: while a store cannot tell, `alterations`
   * grows with every call.
   */
  changes?(): StoreChanges;
  /** Does nothing if the store could serve now, and throws {@link StoreUnavailableError} if not. */
  check(): Pending<void>;
  /** Lets the creates that have begun finish, then releases all resources. Closing twice is allowed. */
  close(): Pending<void>;
}

/** What has changed since a store was opened, as two counters that never go down. */
export interface StoreChanges {
  /** Grows with every create, and with nothing else that happens often. */
  additions: number;
  /** Grows whenever a pet that was visible may have changed or gone, by whatever was done behind the store's back. */
  alterations: number;
}

/** Thrown by a store that cannot serve now, and by one that cannot be opened. The message is for the operator. */
export class StoreUnavailableError extends Error {
  /** Tells this error from others in a log. */
  override name = "StoreUnavailableError";
}
