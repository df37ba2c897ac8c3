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
  /**
   * The availability. The specification lets a server leave it out; the server of
   * `@petstore/petstore` always sends it.
   */
  status?: PetStatus;
}

/** @throws {TypeError} If the text is JSON, but not of a pet. */
export function readPet(text: string): Pet {
  return toPet(parseExact(text));
}

export function readPets(text: string): Pet[] {
  return (parseExact(text) as unknown[]).map(toPet);
}

export function formatNewPet(pet: NewPet): string {
  return `{${formatMembers(pet)}}`;
}

/**
 * A pet as JSON text with exact int64 numbers. `JSON.stringify()` throws for a bigint.
 *
 * @throws {TypeError} If a member has a wrong type.
 */
export function formatPet(pet: Pet): string {
  return `{"id":${requireBigint("id", pet.id)},${formatMembers(pet)}}`;
}

/**
 * Pets as a JSON array, the same way.
 *
 * @throws {TypeError} If a member has a wrong type.
 */
export function formatPets(pets: readonly Pet[]): string {
  return `[${pets.map(formatPet).join()}]`;
}

/** The members that every pet has, without the braces around them. */
function formatMembers(pet: NewPet): string {
  const { name, categoryId, status } = pet;
  if (typeof name !== "string") throw new TypeError("name must be a string");
  const last = status === undefined ? "" : `,"status":${JSON.stringify(status)}`;
  return `"name":${JSON.stringify(name)},"categoryId":${requireBigint("categoryId", categoryId)}${last}`;
}

/** A number may be rounded already, and a text would go unquoted into JSON or a path. */
export function requireBigint(name: string, value: unknown): bigint {
  if (typeof value === "bigint") return value;
  throw new TypeError(`${name} must be a bigint such as 7n`);
}

/** Parses JSON. Numbers that may have been rounded become a bigint of their text, or undefined if they are no int64. */
function parseExact(text: string): unknown {
  // The reviver is slow, and needed only for 16 digits or more, a fraction or an exponent.
  if (!/\d{16}|\d[.eE]/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value, context?: { source: string }) => {
    // An older runtime does not tell the source. Then a number that may have been rounded stays,
    // and toInt64() refuses it.
    return typeof value === "number" && context ? parseInt64(context.source) : value;
  });
}

/** The exact value of a JSON number such as `7` or `7.0`; `undefined` if it is not whole or not an int64. */
function parseInt64(source: string): bigint | undefined {
  const [, digits] = /^(-?\d{1,19})(?:\.0+)?$/.exec(source) ?? [];
  if (digits === undefined) return undefined;
  const value = BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function toPet(value: unknown): Pet {
  const source = value as Partial<Pet>;
  const id = toInt64(source.id);
  const categoryId = toInt64(source.categoryId);
  const { name, status } = source;
  if (id === undefined || categoryId === undefined || typeof name !== "string") throw new TypeError();
  if (status === undefined) return { id, name, categoryId };
  if (!isPetStatus(status)) throw new TypeError();
  return { id, name, categoryId, status };
}

/** Whether a value of a response is a status that the specification has. */
function isPetStatus(value: unknown): value is PetStatus {
  return value === "available" || value === "pending" || value === "sold";
}

/** The value as an int64; `undefined` for a number that may have been rounded. */
function toInt64(value: unknown): bigint | undefined {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  return typeof value === "bigint" ? value : undefined;
}
