/** Whether a pet can be bought. */
export type PetStatus = "available" | "pending" | "sold";

/** A pet to add. */
export interface NewPet {
  /** The pet's name: 1 to 255 Unicode code points, not all white space, no control characters or lone surrogates. */
  name: string;
  /** The category that the pet belongs to: an int64, from −2^63 to 2^63 − 1. */
  categoryId: bigint;
  /** Whether it can be bought. Default: what the server chooses. */
  status?: PetStatus | undefined;
}

/** A pet of the catalogue. */
export interface Pet extends Omit<NewPet, "status"> {
  /** The unique identifier. */
  id: bigint;
  /** The availability. The specification lets a server leave it out; the server of `@petstore/petstore` always sends it. */
  status?: PetStatus;
}

/** Whether a value of a response is a status that the specification has. */
export function isPetStatus(value: unknown): value is PetStatus {
  return value === "available" || value === "pending" || value === "sold";
}
