/** The domain: what a pet is, and how one is read from a request and written to a response. */

import { excerpt, isDigits, isInt64, numberSource, parseInt64 } from "./json.ts";

/** Availability of an animal: `available`, `pending` or `sold`. */
export type PetStatus = "available" | "pending" | "sold";

/** Every {@link PetStatus}. */
export const PET_STATUSES: readonly PetStatus[] = ["available", "pending", "sold"];

/** The most Unicode code points that a name may have. */
export const MAX_NAME_LENGTH = 255;

/** An animal to be added. */
export interface NewPet {
  /** The animal's name: 1 to 255 Unicode code points, not only white space, no control character, no lone surrogate. */
  name: string;
  /** The category the animal belongs to: an int64, −2^63 to 2^63 − 1. */
  categoryId: bigint;
  /** Availability; when it is left out, the service's default status applies. */
  status?: PetStatus;
}

/** An animal of the catalogue. */
export interface Pet extends Required<NewPet> {
  /** Unique identifier, assigned by the store: from 1, ascending, never reused, below 2^53. */
  id: bigint;
}

/** Whether `value` is one of {@link PET_STATUSES}. */
export function isPetStatus(value: unknown): value is PetStatus {
  return value === "available" || value === "pending" || value === "sold";
}

/** One pet as JSON text, with its int64 numbers exact; what {@link PetStore.get} returns. */
export function formatPet(pet: Pet): string {
  return `{"id":${pet.id},"name":${JSON.stringify(pet.name)},"categoryId":${pet.categoryId},"status":"${pet.status}"}`;
}

/** Several pets as the text of a JSON array; the `json` of a {@link PetPage}. */
export function formatPets(pets: readonly Pet[]): string {
  return `[${pets.map(formatPet).join(",")}]`;
}

/** The identifier that a path segment spells in canonical decimal form, or `undefined` if it can be no pet's. */
export function parsePetId(text: string): bigint | undefined {
  if (text.length > 19 || text.startsWith("0") || !isDigits(text)) return undefined;
  const id = BigInt(text);
  return isInt64(id) ? id : undefined;
}

/**
 * Reads a new pet from the text of a request body. Unknown members are ignored.
 *
 * @param defaultStatus The status of a pet that comes without one.
 * @returns The pet, or what is wrong with it: a sentence for every fault, each naming its field.
 * @throws {SyntaxError} If the text is not JSON.
 */
export function parseNewPet(text: string, defaultStatus: PetStatus): Required<NewPet> | string[] {
  const body = parseJson(text);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return [`the body must be a JSON object, not ${quote(body)}`];
  }
  // Own members only: the client did not send what a program has added to Object.prototype.
  const name = ownMember(body, "name");
  const status = ownMember(body, "status", defaultStatus);
  const categoryId = ownMember(body, "categoryId");
  const source = typeof categoryId === "number" ? numberSource(text, "categoryId") : "";
  const exact = source === "" ? undefined : parseInt64(source);
  if (isName(name) && exact !== undefined && isPetStatus(status)) return { name, categoryId: exact, status };
  return faults(name, exact === undefined ? source || quote(categoryId) : undefined, status);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Some engines run out of stack on deep nesting and throw a RangeError: for the client it is one and the same fault.
    throw new SyntaxError(error instanceof SyntaxError ? error.message : "Nested too deeply");
  }
}

function ownMember(body: object, name: string, fallback?: unknown): unknown {
  return Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : fallback;
}

function isName(value: unknown): value is string {
  if (typeof value !== "string" || value === "" || value.length > 2 * MAX_NAME_LENGTH) return false;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return false;
  }
  return value.isWellFormed() && value.trim() !== "" &&
    (value.length <= MAX_NAME_LENGTH || [...value].length <= MAX_NAME_LENGTH);
}

function faults(name: unknown, badCategoryId: string | undefined, status: unknown): string[] {
  const found: string[] = [];
  if (name === undefined) found.push("name is required");
  else if (!isName(name)) {
    found.push(
      `name must be a string of 1 to ${MAX_NAME_LENGTH} characters, not only white space ` +
        `and without control characters or lone surrogates, not ${quote(name)}`,
    );
  }
  if (badCategoryId === "undefined") found.push("categoryId is required");
  else if (badCategoryId !== undefined) {
    found.push(
      "categoryId must be an integer from -9223372036854775808 to 9223372036854775807, " +
        `not ${excerpt(badCategoryId)}`,
    );
  }
  if (!isPetStatus(status)) {
    found.push(`status must be one of ${PET_STATUSES.join(", ")}, not ${quote(status)}`);
  }
  return found;
}

/** A given value as it may stand in a message: its kind if it is large, its text if it is not. */
function quote(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return excerpt(typeof value === "string" ? JSON.stringify(excerpt(value)) : String(value), 80);
}
