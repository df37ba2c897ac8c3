/** The domain: pets, their validation and their JSON. */

import { excerpt, quoted } from "./excerpt.ts";
import { hasPlainNumbers, INT64_RANGE, isInt64, numberSource, parseInt64 } from "./json.ts";

/** The availability of a pet: `available`, `pending` or `sold`. */
export type PetStatus = "available" | "pending" | "sold";

/** The index of a status is its number in databases, so the order must not change. */
export const PET_STATUSES: readonly PetStatus[] = ["available", "pending", "sold"];

/** The longest name of a pet, in Unicode code points. */
export const MAX_NAME_LENGTH = 255;

/** A name has no control character and no lone surrogate, which no JSON text in UTF-8 can have. */
const NAME = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** A new pet as the service passes it to a store: validated, and with a status. */
export interface PetDraft {
  /** The pet's name: 1 to 255 Unicode code points, not all white space, no control characters or lone surrogates. */
  name: string;
  /** The category that the pet belongs to: an int64, from −2^63 to 2^63 − 1. */
  categoryId: bigint;
  /** Whether the pet can be bought. */
  status: PetStatus;
}

/** A pet of the catalogue. */
export interface Pet extends PetDraft {
  /** The unique identifier, assigned by the store. Ids start at 1, ascend and stay below 2^53. A store reuses none. */
  id: bigint;
}

export function isPetStatus(value: unknown): value is PetStatus {
  return PET_STATUSES.includes(value as PetStatus);
}

/** One pet as JSON text with exact int64 numbers, in the format that {@link PetStore.get} returns. */
export function formatPet(pet: Pet): string {
  return formatPetWithId(pet.id, pet);
}

/** A draft with its id as JSON text, in the same format. */
export function formatPetWithId(id: bigint | number, { name, categoryId, status }: PetDraft): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

/** Several pets as a JSON array, in the format of {@link PetPage.json}. */
export function formatPets(pets: readonly Pet[]): string {
  return `[${pets.map(formatPet).join(",")}]`;
}

/** Parses the id in a path segment. `undefined` unless it is a positive int64 in canonical decimal form. */
export function parsePetId(text: string): bigint | undefined {
  if (!/^[1-9]\d{0,18}$/.test(text)) return undefined;
  const id = BigInt(text);
  return isInt64(id) ? id : undefined;
}

/**
 * Parses and validates a new pet from the text of a request body. Unknown members are ignored.
 *
 * @param defaultStatus The status of a pet without one.
 * @param subject What the text is, for messages.
 * @returns The pet, or one message for each fault, which names the field.
 * @throws {SyntaxError} If the text is not JSON.
 */
export function parseNewPet(
  text: string,
  defaultStatus: PetStatus,
  subject = "the body",
): PetDraft | string[] {
  const body = parseJson(text);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return [`${subject} must be a JSON object, not ${shown(body)}`];
  }
  const { name, categoryId, status = defaultStatus } = body as Record<string, unknown>;
  if (Number.isSafeInteger(categoryId) && hasPlainNumbers(text)) {
    return petOrFaults(name, BigInt(categoryId as number), "", status);
  }
  const source = numberSource(text, "categoryId");
  return petOrFaults(name, parseInt64(source), source || shown(categoryId), status);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Some engines run out of stack on deep nesting, and throw a RangeError. To the client that is bad JSON too.
    throw new SyntaxError(error instanceof SyntaxError ? error.message : "Nested too deeply");
  }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && NAME.test(value) && value.trim() !== "";
}

/** @param source The text of `categoryId`, for messages. */
function petOrFaults(
  name: unknown,
  categoryId: bigint | undefined,
  source: string,
  status: unknown,
): PetDraft | string[] {
  if (isName(name) && categoryId !== undefined && isPetStatus(status)) return { name, categoryId, status };
  const found: string[] = [];
  if (name === undefined) found.push("name is required");
  else if (!isName(name)) {
    found.push(
      `name must be a string of 1 to ${MAX_NAME_LENGTH} characters, not only white space ` +
        `and without control characters or lone surrogates, not ${shown(name)}`,
    );
  }
  if (source === "undefined") found.push("categoryId is required");
  else if (categoryId === undefined) {
    found.push(`categoryId must be an integer ${INT64_RANGE}, not ${excerpt(source)}`);
  }
  if (!isPetStatus(status)) found.push(`status must be one of ${PET_STATUSES.join(", ")}, not ${shown(status)}`);
  return found;
}

/** A value for a message: only the kind of an array or object, otherwise the text, shortened. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return excerpt(typeof value === "string" ? quoted(value) : String(value), 80);
}
