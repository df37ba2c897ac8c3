/** The contract between the service and a store of pets. Its cases are in `lib/testing/store`. */

import type { NewPet, PetStatus } from "../pet.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import type { KeyStore } from "./key_store.ts";

/** A new pet as the service passes it to a store: validated, and with a status. */
export type PetDraft = Required<NewPet>;

/** Selects a page of the list. */
export interface PetQuery {
  /** Only pets with a greater id; 0 for the first page. Any int64. */
  after: bigint;
  /** The largest number of pets on the page: 1 to 100. */
  limit: number;
  /** Only pets with this status; all pets if absent. */
  status?: PetStatus | undefined;
}

/** Identifies a create, so that the store recognizes a retry. */
export interface IdempotentRequest {
  /** Identifies the request: 22 characters, each a letter, a digit, `-` or `_`. */
  key: string;
  /** Identifies the new pet's content: 22 of the same characters. One key must not be used with two fingerprints. */
  fingerprint: string;
  /**
   * How long to remember the request, in whole milliseconds. If several servers share a store, it must measure this time
   * with one clock, because the clocks of the servers may differ.
   */
  retentionMs: number;
}

/** The outcome of a create that may be retried: created now, created earlier, or the key was used for another pet. */
export type IdempotentOutcome = { outcome: "created" | "replayed"; id: bigint } | { outcome: "conflict" };

/** One page of a list. */
export interface PetPage {
  /**
   * The pets in ascending order of `id`: a JSON array as text, exactly in the format of {@link formatPets}. The service
   * sends it unchanged. For speed, a store can produce it without an object for each pet.
   */
  json: string;
  /** The id of the last pet on this page, if more pets match after it; otherwise absent. */
  next?: bigint;
}

/**
 * Keeps pets. Each method returns its result or a promise of it, and may be called while earlier calls are running.
 *
 * **Errors.** A store that cannot serve at the moment throws {@link StoreUnavailableError}, or rejects with it, and the
 * client gets 503. The service treats any other error as a bug and answers 500.
 *
 * **Order.** Ids start at 1 and stay below 2^53. They ascend in the order in which pets become visible, and none is assigned
 * twice, not even after a restart. A reader that continues after the last id it saw therefore misses no pet. Only a create that
 * fails may leave a gap; a request that is repeated and a check leave none.
 *
 * **Atomicity.** A pet is visible completely or not at all. A create that fails leaves no pet, unless the store lost its
 * connection and could not learn the outcome. Such a create must not be repeated by the store. A store refuses a status that is
 * not one of the three, by throwing.
 *
 * **Changes.** No operation of this version changes or deletes a pet, but others may, for example by SQL. A store with
 * {@link changes} counts this in `alterations`. An operation that changes or deletes pets would have to do so too, before it is
 * acknowledged, because cached responses depend on it. The id of a deleted pet is not reused, and a reader that walks the
 * list then misses only the deleted pets: a page begins after an id, whether or not that pet is still there.
 *
 * **Durability.** A create resolves once the pet is as safe as the store makes it, and not earlier.
 * {@link createMemoryStore} keeps it until the process ends. With the other stores, it is as durable as a commit of their
 * database: with `createSqliteStore`, it survives a loss of power.
 *
 * **Concurrency.** After a create has resolved, every get and list that starts later sees the pet. A page is consistent: it
 * shows the state of one moment. Two pages may show different moments.
 *
 * **Cost.** It must not grow with the number of pets, except for the depth of indexes. A page reads its own rows and one
 * more, at any position and for any status. A get reads one row, and a check at most one. A create writes one row and its
 * index entries. A createOnce touches up to four more rows, to remember a request and to delete expired ones.
 */
export interface PetStore {
  /** Adds a pet and returns its id. */
  create(pet: PetDraft): MaybePromise<bigint>;
  /**
   * Adds a pet like {@link create}, unless the store remembers a request with this key. The pet and the request are stored
   * atomically; a create that fails is not remembered. If two calls with the same key overlap, the second waits for the
   * first. Expired requests are deleted while new ones arrive.
   *
   * Without this method, the service answers requests that have an `Idempotency-Key` with 501.
   */
  createOnce?(pet: PetDraft, request: IdempotentRequest): MaybePromise<IdempotentOutcome>;
  /** The pet as JSON text, exactly in the format of {@link formatPet}; `undefined` if absent. `id` may be any int64. */
  get(id: bigint): MaybePromise<string | undefined>;
  /** Returns one page of the list. */
  list(query: PetQuery): MaybePromise<PetPage>;
  /**
   * Counters that show whether an earlier response is still valid. The service then caches responses and compares the counters
   * on each read. Without this method it reads the store each time. A counter grows before a create resolves, and not before reads
   * see the pet, on every server; a store that cannot detect pets of other servers has no `changes()`. The result may be one object
   * whose members change. Must not throw: while the store cannot detect changes, `alterations` grows with every call.
   */
  changes?(): StoreChanges;
  /** Checks that the store can serve. Throws {@link StoreUnavailableError} if it cannot. */
  check(): MaybePromise<void>;
  /**
   * Checks that a create would succeed, without adding a pet. It follows the path of a create as far as possible, and may cost as
   * much. Throws {@link StoreUnavailableError} if a create would fail. Without this method, creates count as possible while
   * {@link check} succeeds.
   */
  checkWrites?(): MaybePromise<void>;
  /** Keeps API keys beside the pets, for {@link createKeyManager}. */
  readonly keys?: KeyStore;
  /** Finishes the creates that have started, then releases all resources. A second call does nothing. */
  close(): MaybePromise<void>;
}

/** A store that keeps API keys too, and can be closed by `await using`. Every store of this package is one. */
export interface KeyedPetStore extends PetStore {
  /** Keeps API keys beside the pets, for {@link createKeyManager}. */
  readonly keys: KeyStore;
  /** Closes the store, at the end of the block of `await using store = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The changes since the store was opened, as two counters that never decrease. */
export interface StoreChanges {
  /** Grows whenever pets are added. It may also grow at other times, at the cost of cached responses. */
  additions: number;
  /** Grows whenever a pet may have changed or disappeared, for example because another program has written to the file. */
  alterations: number;
}

/** Thrown by a store that cannot serve or cannot be opened. The message is for the operator and is not sent to clients. */
export class StoreUnavailableError extends Error {
  /** The name that logs show. */
  override name = "StoreUnavailableError";
  /** Whether a create failed, and its pet may nevertheless have been stored. The client is told so. */
  readonly mayBeStored: boolean;

  /**
   * Creates the error.
   *
   * @param message What is wrong, for the operator.
   * @param options The cause, and whether the pet of a create may have been stored. Default: it was not.
   */
  constructor(message?: string, options: ErrorOptions & { mayBeStored?: boolean } = {}) {
    super(message, options);
    this.mayBeStored = options.mayBeStored ?? false;
  }
}

/** The same error, of a create whose outcome is not known. */
export function uncertain({ message, cause }: Error): StoreUnavailableError {
  return new StoreUnavailableError(`${message}; the pet may have been stored`, { cause, mayBeStored: true });
}

export function storeClosed(): StoreUnavailableError {
  return new StoreUnavailableError("The store has been closed");
}
