import type { PetStatus } from "@petstore/petstore/store";
import type { KvKey } from "./client.ts";

/** A number that no id reaches, for the end of a range. */
const BEYOND_IDS = 2n ** 64n;

/** The most bytes that a key takes without its prefix. Only the key of a server is longer. */
const KEY_BYTES = 45;
/** For each create, a commit writes up to three keys, and may delete one. */
const KEYS_PER_CREATE = 4;
/** KV's limit for the keys of a commit. */
const COMMIT_KEY_BYTES = 80 * 1024;
const MAX_PREFIX_BYTES = 500;
/** How many creates a commit may have with a short prefix: KV allows 1000 writes and deletions in one commit. */
const MAX_CREATES = 240;

/** The keys of all entries. */
export class KeySpace {
  /** The greatest id. Every commit checks and replaces it. */
  readonly counter: KvKey;
  /** The key that is written to find out whether writes succeed. */
  readonly probe: KvKey;
  /** How many creates a commit may have with this prefix. */
  readonly maxCreates: number;
  readonly #prefix: readonly string[];

  /** @throws {TypeError} If the prefix is invalid. */
  constructor(prefix: readonly string[]) {
    requirePrefix(prefix);
    this.#prefix = [...prefix];
    this.counter = [...prefix, "counter"];
    this.probe = [...prefix, "probe"];
    const createBytes = KEYS_PER_CREATE * (sizeOf(prefix) + KEY_BYTES);
    this.maxCreates = Math.min(MAX_CREATES, Math.floor(COMMIT_KEY_BYTES / createBytes));
  }

  pet(id: bigint): KvKey {
    return [...this.#prefix, "pets", id];
  }

  /** The key under which a pet is stored once more, so that a page of one status is one read. */
  petOfStatus(status: PetStatus, id: bigint): KvKey {
    return [...this.#prefix, "status", status, id];
  }

  /** The range of the pets after an id, which may be any int64. */
  petsAfter(after: bigint, status?: PetStatus): { start: KvKey; end: KvKey } {
    const first = after < 0n ? 0n : after + 1n;
    return status === undefined
      ? { start: this.pet(first), end: this.pet(BEYOND_IDS) }
      : { start: this.petOfStatus(status, first), end: this.petOfStatus(status, BEYOND_IDS) };
  }

  /** The key of a remembered request by the request's key, or of a server's last commit by the server's UUID, which is longer. */
  remembered(key: string): KvKey {
    return [...this.#prefix, "remembered", key];
  }

  /** The range of the remembered requests and commits after a key. */
  rememberedAfter(key: string): { start: KvKey; end: KvKey } {
    // No key contains U+0000, and "~" is greater than all.
    return { start: this.remembered(`${key}\0`), end: this.remembered("~") };
  }
}

function requirePrefix(prefix: readonly string[]): void {
  const isValid = Array.isArray(prefix) && prefix.length > 0 &&
    prefix.every((part) => typeof part === "string" && !part.includes("\0") && part.isWellFormed());
  if (!isValid || sizeOf(prefix) > MAX_PREFIX_BYTES) {
    throw new TypeError(
      `The prefix of a KV store must be an array of well-formed strings without U+0000, at least one, of up to ${MAX_PREFIX_BYTES} bytes`,
    );
  }
}

/** How many bytes a prefix takes: KV adds two to each part. */
function sizeOf(prefix: readonly string[]): number {
  return prefix.reduce((sum, part) => sum + new TextEncoder().encode(part).length + 2, 0);
}
