/** The guarantees of a store, one sentence each. The documentation of `PetStore` has the details. */

/** The name of a guarantee of the store contract. A later release may add some. */
export type StoreGuarantee =
  | "exactness"
  | "paging"
  | "order"
  | "atomicity"
  | "durability"
  | "concurrency"
  | "idempotency"
  | "service"
  | "keys"
  | (string & Record<never, never>);

const GUARANTEES: Readonly<Record<string, string>> = {
  exactness: "a pet is returned exactly as it was given, as the text of formatPet() and formatPets()",
  paging: "a page has the pets after an id, in the order of ids, and tells whether more follow",
  order: "ids start at 1, ascend in the order in which pets become visible, and none is given twice",
  atomicity: "a pet is visible completely or not at all, and a create that fails leaves none",
  durability: "a pet that was acknowledged is there after a restart",
  concurrency: "after a create has resolved, each read that starts later sees the pet, on every server",
  idempotency: "a request that is repeated creates one pet, and the pet and the request are stored together",
  service: "a store tells whether it can serve, and finishes the work that has started before it closes",
  keys: "each change of a key is atomic, and none undoes another",
};

/** The error of a case that fails. It names the broken guarantee; `cause` is the failed assertion. */
export class ContractError extends Error {
  /** The name that test runners show. */
  override name = "ContractError";
  /** The broken guarantee. */
  readonly guarantee: StoreGuarantee;

  /**
   * Creates the error of a case that failed.
   *
   * @param guarantee The broken guarantee.
   * @param cause The error that the case threw.
   */
  constructor(guarantee: StoreGuarantee, cause: unknown) {
    const message = cause instanceof Error ? cause.message : String(cause);
    super(`A store must keep this guarantee (${guarantee}): ${GUARANTEES[guarantee]}.\n${message}`, { cause });
    this.guarantee = guarantee;
  }
}
