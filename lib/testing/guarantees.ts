/** What a store promises, in one sentence each. `PetStore` has them at length. */

/** The name of a promise of the store contract. */
export type StoreGuarantee =
  | "exactness"
  | "paging"
  | "order"
  | "atomicity"
  | "durability"
  | "concurrency"
  | "idempotency"
  | "service"
  | "keys";

const PROMISES: Readonly<Record<StoreGuarantee, string>> = {
  exactness: "a pet is returned exactly as it was given, as the text of formatPet() and formatPets()",
  paging: "a page has the pets after an id, in the order of ids, and tells whether more follow",
  order: "ids start at 1, ascend in the order in which pets become visible, and none is given twice",
  atomicity: "a pet is visible completely or not at all, never changes, and a create that fails leaves none",
  durability: "a pet that was acknowledged is there after a restart",
  concurrency: "after a create has resolved, each read that starts later sees the pet, on every server",
  idempotency: "a request that is repeated makes one pet, and the pet and the request are stored together",
  service: "a store tells whether it can serve, and finishes what it has begun before it closes",
  keys: "each change of a key is atomic, and none undoes another",
};

/** Thrown by a case. It names the promise that is broken; `cause` is the failed assertion. */
export class ContractError extends Error {
  /** The name that test runners show. */
  override name = "ContractError";
  /** The broken promise. */
  readonly promise: StoreGuarantee;

  /**
   * Makes the error of a case that failed.
   *
   * @param promise The broken promise.
   * @param cause What the case threw.
   */
  constructor(promise: StoreGuarantee, cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(`A store must keep this promise (${promise}): ${PROMISES[promise]}.\n${what}`, { cause });
    this.promise = promise;
  }
}
