import { hasPlainNumbers, parseInt64 } from "./json.ts";
import { isPetStatus, type NewPet, type Pet } from "./pet.ts";

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
  if (hasPlainNumbers(text) && !/\d{16}/.test(text)) return JSON.parse(text);
  // A runtime that does not tell the source has rounded integers to unsafe ones, but fractions also to safe ones.
  const isPlain = hasPlainNumbers(text.replace(/"(?:[^"\\]|\\.?)*"?/g, ""));
  return JSON.parse(text, (_, value, context?: { source: string }) => {
    if (typeof value !== "number") return value;
    if (context) return parseInt64(context.source);
    return isPlain ? value : undefined;
  });
}

/** The value as an int64; `undefined` for a number that may have been rounded. */
function toInt64(value: unknown): bigint | undefined {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  return typeof value === "bigint" ? value : undefined;
}

function toPet(value: unknown): Pet {
  const source = value as Partial<Pet>;
  const id = toInt64(source.id);
  const categoryId = toInt64(source.categoryId);
  const { name, status } = source;
  if (id === undefined || categoryId === undefined || typeof name !== "string") throw new TypeError();
  const pet: Pet = { id, name, categoryId };
  // An extended Object.prototype is not part of the response.
  if (Object.hasOwn(source, "status")) {
    if (!isPetStatus(status)) throw new TypeError();
    pet.status = status;
  }
  return pet;
}
