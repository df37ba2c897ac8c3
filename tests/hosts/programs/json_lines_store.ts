import { appendFileSync, closeSync, fsyncSync, ftruncateSync, openSync, readFileSync } from "node:fs";
import { formatPet, formatPets, type IdempotentRequest, type Pet, type PetDraft } from "@petstore/petstore/store";
import { type PetStatus, type PetStore, StoreUnavailableError } from "@petstore/petstore/store";

/** A line of the file. The int64 is text, because JSON numbers are not exact in JavaScript. */
type Line = { name: string; categoryId: string; status: PetStatus; request?: Remembered | undefined };

/** A request, and when it is forgotten. */
type Remembered = IdempotentRequest & { expires: number };

const STATUSES: readonly string[] = ["available", "pending", "sold"];

/** Keeps pets in a file, one JSON object on each line. A pet's id is the number of its line. One process at a time. */
export function createJsonLinesStore(path: string): PetStore {
  const file = openSync(path, "a+", 0o600);
  const bytes = readFileSync(path);
  // A crash has cut off what follows the last line break, before it was acknowledged.
  let size = bytes.lastIndexOf("\n") + 1;
  ftruncateSync(file, size);
  const pets: Pet[] = [];
  const requests = new Map<string, Remembered & { id: bigint }>();
  for (const line of bytes.subarray(0, size).toString().split("\n").slice(0, -1)) remember(JSON.parse(line));
  let isOpen = true;

  function remember({ name, categoryId, status, request }: Line): bigint {
    const id = BigInt(pets.push({ id: BigInt(pets.length + 1), name, categoryId: BigInt(categoryId), status }));
    for (const [key, { expires }] of requests) if (expires <= Date.now()) requests.delete(key);
    if (request) requests.set(request.key, { ...request, id });
    return id;
  }

  function write({ name, categoryId, status }: PetDraft, request?: IdempotentRequest): bigint {
    if (!STATUSES.includes(status)) throw new TypeError(`There is no status ${status}`);
    const line: Line = { name, categoryId: String(categoryId), status };
    if (request) line.request = { ...request, expires: Date.now() + request.retentionMs };
    const text = `${JSON.stringify(line)}\n`;
    try {
      if (!isOpen) throw new Error("The store is closed");
      appendFileSync(file, text);
      fsyncSync(file); // only now may the pet be acknowledged
    } catch (cause) {
      if (isOpen) ftruncateSync(file, size); // half a line would spoil the next
      throw new StoreUnavailableError("The pet could not be written", { cause });
    }
    size += Buffer.byteLength(text);
    return remember(line);
  }

  return {
    create: (pet) => write(pet),
    createOnce(pet, request) {
      const known = requests.get(request.key);
      if (!known || known.expires <= Date.now()) return { outcome: "created", id: write(pet, request) };
      return known.fingerprint === request.fingerprint
        ? { outcome: "replayed", id: known.id }
        : { outcome: "conflict" };
    },
    get(id) {
      const pet = id > 0n && id <= pets.length ? pets[Number(id) - 1] : undefined;
      return pet && formatPet(pet);
    },
    list({ after, limit, status }) {
      const start = after < 0n ? 0 : Number(after);
      const found: Pet[] = [];
      for (let i = start; i < pets.length && found.length <= limit; i++) {
        if (status === undefined || pets[i]!.status === status) found.push(pets[i]!);
      }
      const json = formatPets(found.slice(0, limit));
      return found.length > limit ? { json, next: found[limit - 1]!.id } : { json };
    },
    changes: () => ({ additions: pets.length, alterations: 0 }),
    check() {
      if (!isOpen) throw new StoreUnavailableError("The store is closed");
    },
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}
