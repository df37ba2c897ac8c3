/**
 * The contract of a store, for a store of your own. `@petstore/conformance` has its test cases.
 *
 * @example
 * ```ts
 * import { createMemoryStore, createPetstore } from "@petstore/petstore";
 * import type { PetStore } from "@petstore/petstore/store";
 *
 * const memory = createMemoryStore();
 * const logged: PetStore = {
 *   create(pet) {
 *     console.log(pet.name);
 *     return memory.create(pet);
 *   },
 *   get: (id) => memory.get(id),
 *   list: (query) => memory.list(query),
 *   check: () => memory.check(),
 *   close: () => memory.close(),
 * };
 * createPetstore({ keys: ["pk_example"], store: logged });
 * ```
 *
 * @module
 */

import type { MaybePromise } from "../promises.ts";
import type { PetDraft, PetStatus } from "../pet.ts";
import type { KeyStore } from "./key_store.ts";

export type { MaybePromise };
export { formatPet, formatPets, type Pet, type PetDraft, type PetStatus } from "../pet.ts";
export type { KeyInfo, KeySnapshot, KeyStore, StoredKey } from "./key_store.ts";

/**
 * The methods of every store. Each returns its result or a promise of it, and may be called while
 * earlier calls run. {@link PetStore} says what a store guarantees.
 */
export interface StoreMethods {
  /** Adds a pet, and returns its id. */
  create(pet: PetDraft): MaybePromise<bigint>;
  /** Returns a pet as JSON text, exactly as by {@link formatPet}; `undefined` if absent. `id` may be any int64. */
  get(id: bigint): MaybePromise<string | undefined>;
  /** Returns one page of the list. */
  list(query: PetQuery): MaybePromise<PetPage>;
  /** Throws {@link StoreUnavailableError} if the store cannot serve. */
  check(): MaybePromise<void>;
  /** Finishes the creates that have started. A second call does nothing. */
  close(): MaybePromise<void>;
}

/**
 * Keeps pets: the contract of a store. A store guarantees:
 *
 * - **Errors.** If it cannot serve at the moment, it throws {@link StoreUnavailableError} or
 *   rejects with it: 503. Any other error is a bug: 500.
 * - **Order.** Ids start at 1 and stay below 2^53. They ascend in the order in which pets become
 *   visible, so a reader that continues after the last id misses none. No id is given twice, not
 *   even after a restart or a deletion. Only a failed create may leave a gap.
 * - **Atomicity.** A pet is visible completely or not at all. An invalid status is refused. A
 *   failed create leaves no pet, unless the store could not learn the outcome. It must not repeat
 *   such a create.
 * - **Durability.** A create resolves once the pet is as safe as a commit of the database. With
 *   `createSqliteStore`, it survives a loss of power. Pets of {@link createMemoryStore} end with
 *   the process.
 * - **Concurrency.** A get or list that starts after a create has resolved sees the pet. A page
 *   shows one moment.
 * - **Changes.** Only other programs may change or delete pets. A page begins after an id, whether
 *   or not that pet is still there.
 * - **Cost.** It must not grow with the number of pets, except for the depth of indexes. A page
 *   reads its own rows and one more, at any position and for any status. A createOnce deletes at
 *   most a few expired requests.
 *
 * The members that this interface adds to {@link StoreMethods} are optional.
 */
export interface PetStore extends StoreMethods {
  /**
   * Adds a pet, unless the store remembers a request with this key. Both are stored, or neither. Of
   * two calls with one key, the second waits. Without this method, a request with an
   * `Idempotency-Key` gets 501.
   */
  createOnce?(pet: PetDraft, request: IdempotentRequest): MaybePromise<IdempotentOutcome>;
  /**
   * Returns the counters by which the service keeps responses: see {@link StoreChanges}. They count
   * the changes of every server. A store that cannot do so lacks this method, and the service then
   * keeps no responses. The result may be one object that changes. The method must not throw: a
   * store that cannot detect changes at the moment lets `alterations` grow with every call.
   */
  changes?(): StoreChanges;
  /**
   * Throws {@link StoreUnavailableError} if a create would fail. Adds no pet. Without this method,
   * {@link StoreMethods.check} is called.
   */
  checkWrites?(): MaybePromise<void>;
  /** Keeps API keys, for {@link createKeyManager}. */
  readonly keys?: KeyStore;
}

/** Selects a page of the list. */
export interface PetQuery {
  /**
   * The list continues after this id: only pets with a greater one are on the page. It is 0 for the
   * first page, and may be any int64.
   */
  after: bigint;
  /** The largest number of pets on the page: 1 to 100. */
  limit: number;
  /** The status of the pets. Without it, all pets are listed. */
  status?: PetStatus | undefined;
}

/** Identifies a create, so that the store recognizes a retry. */
export interface IdempotentRequest {
  /** The name of the request: 22 characters, each a letter, a digit, `-` or `_`. */
  key: string;
  /** Identifies the pet's content: 22 of the same characters. One key must not be used with two fingerprints. */
  fingerprint: string;
  /** How long to remember the request, in whole milliseconds. Servers that share a store measure it with one clock. */
  retentionMs: number;
}

/**
 * The outcome of a create with a request. The pet is `created` now, or an earlier call with the key
 * has created it and this one is `replayed`. It is a `conflict` if the key was used for another
 * pet.
 */
export type IdempotentOutcome = { outcome: "created" | "replayed"; id: bigint } | { outcome: "conflict" };

/** One page of a list. */
export interface PetPage {
  /** The pets in ascending order of `id`: a JSON array, exactly as by {@link formatPets}. */
  json: string;
  /** The id of the last pet on this page, if more pets match after it. */
  next?: bigint;
}

/**
 * Two counters by which a store tells that it has changed. The service keeps responses, and by
 * these counters it never sends a stale one:
 *
 * 1. The service copies the counters before it asks the store for what a response shows.
 * 2. It keeps the response with the copy.
 * 3. Before it sends the response again, it compares the copy with the counters of that moment.
 *
 * For example:
 *
 * 1. A client asks for pet 7 and for the last page. The service keeps both responses with the copy
 *    `{ additions: 4, alterations: 1 }`.
 * 2. A client adds pet 8. The store counts `{ additions: 5, alterations: 1 }` before the create
 *    resolves.
 * 3. The response with pet 7 is sent again, because its pet is the same. The last page is read
 *    anew, because it now shows pet 8.
 * 4. Another program renames pet 7. The store counts `{ additions: 5, alterations: 2 }`.
 * 5. The response with pet 7 is made anew.
 *
 * A full page is like pet 7: only an alteration makes it stale. A missing pet is like the last
 * page: an addition makes it stale too.
 *
 * A store keeps two rules. A counter grows after reads see the change, and before the create
 * resolves. A counter never decreases.
 */
export interface StoreChanges {
  /** Grows whenever pets are added, and perhaps at other times. */
  additions: number;
  /** Grows whenever a pet may have changed or disappeared, for example by another program. */
  alterations: number;
}

/** A store that keeps API keys too, and works with `await using`. */
export interface KeyedPetStore extends PetStore {
  /** Keeps API keys, for {@link createKeyManager}. */
  readonly keys: KeyStore;
  /** Closes the store. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Says that a store cannot serve or be opened. Clients do not get the message. */
export class StoreUnavailableError extends Error {
  /** The name that logs show. */
  override name = "StoreUnavailableError";
  /** Whether a create or a change of keys failed, and may nevertheless have been stored. */
  readonly mayBeStored: boolean;
  /**
   * Whether a later attempt may succeed without a change to the store or its settings. The server's
   * exit status depends on it.
   */
  readonly isTemporary: boolean;

  /**
   * Creates the error.
   *
   * @param message What is wrong, for the operator.
   * @param options The cause, whether what was to be stored may have been, and whether a later
   * attempt may succeed.
   */
  constructor(message?: string, options: { cause?: unknown; mayBeStored?: boolean; isTemporary?: boolean } = {}) {
    super(message, options);
    this.mayBeStored = options.mayBeStored ?? false;
    this.isTemporary = options.isTemporary ?? false;
  }
}
