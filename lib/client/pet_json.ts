/** Pets as JSON, with exact int64. */

import { parseInt64 } from "../json.ts";
import { isPetStatus, type NewPet, type Pet } from "../pet.ts";

/** @throws {TypeError} If the text is JSON, but not of a pet. */
export function readPet(text: string): Pet {
  return toPet(parseExact(text));
}

/** @throws {TypeError} If the text is JSON, but not of an array of pets. */
export function readPets(text: string): Pet[] {
  const pets = parseExact(text);
  if (!Array.isArray(pets)) throw new TypeError("Not an array");
  return pets.map(toPet);
}

/** The members of NewPet alone, as the body of a create. */
export function formatNewPet({ name, categoryId, status }: NewPet): string {
  return `{"categoryId":${requireBigint("categoryId", categoryId)},${JSON.stringify({ name, status }).slice(1)}`;
}

/** A number would be rounded before it came here, and a text would go unquoted into JSON or a path. */
export function requireBigint(name: string, value: unknown): bigint {
  if (typeof value === "bigint") return value;
  throw new TypeError(`${name} must be a bigint such as 7n, not ${JSON.stringify(value)}`);
}

/** Each number becomes a bigint, or undefined if it is no int64 or the runtime cannot tell its digits. */
function parseExact(text: string): unknown {
  return JSON.parse(text, (_, value, context?: { source: string }) => {
    if (typeof value !== "number") return value;
    return parseInt64(context?.source ?? (Number.isSafeInteger(value) ? String(value) : ""));
  });
}

function toPet(value: unknown): Pet {
  const { id, name, categoryId, status } = value as Partial<Pet>;
  if (typeof id !== "bigint" || typeof categoryId !== "bigint" || typeof name !== "string" || !isPetStatus(status)) {
    throw new TypeError("Not a pet");
  }
  return { id, name, categoryId, status };
}
