/** The writes of a commit, and the outcomes of its creates. */

import { formatPet } from "../../pet.ts";
import type { IdempotentOutcome, IdempotentRequest, PetDraft } from "../store.ts";
import { fromJson, toBytes } from "./bytes.ts";
import type { KvAtomic, KvEntry, KvKey } from "./client.ts";
import { counterAt, type CounterState, type Layout, type Remembered } from "./layout.ts";

/** A create that waits, with the functions that settle its promise. */
export interface Create {
  pet: PetDraft;
  request: IdempotentRequest | undefined;
  resolve(outcome: IdempotentOutcome): void;
  reject(error: unknown): void;
}

/** The requests that are known: in KV, or from earlier creates of the same commit. They may have expired. */
type Known = Map<string, Remembered>;

/** How long a commit is remembered, in milliseconds: much longer than it can take to learn its outcome. */
const COMMIT_RETENTION = 86_400_000;

/** The author of a commit. */
export interface Author {
  /** The UUID of this store object. */
  server: string;
  /** Differs between the commits of this server. */
  commit: string;
}

/** A commit, which applies only as long as the counter has the version that it was planned with. */
export class Plan {
  /** One for each create. */
  readonly outcomes: IdempotentOutcome[] = [];
  readonly #layout: Layout;
  readonly #base: CounterState;
  readonly #author: Author;
  readonly #pets: { id: number; pet: PetDraft }[] = [];
  readonly #remembered: [key: string, Remembered][] = [];
  readonly #expired: readonly KvKey[];

  /**
   * @param base The counter, read before `known` and `expired`.
   * @param expired Entries to delete.
   */
  constructor(
    layout: Layout,
    creates: readonly Create[],
    base: CounterState,
    author: Author,
    { known, expired }: { known: Known; expired: readonly KvKey[] },
  ) {
    this.#layout = layout;
    this.#base = base;
    this.#author = author;
    this.#expired = expired;
    const now = Date.now();
    for (const create of creates) this.outcomes.push(this.#add(create, known, now));
    const commit = { id: base.last, fingerprint: author.commit, expires: now + COMMIT_RETENTION };
    this.#remembered.push([author.server, commit]);
  }

  /** The greatest id after the commit. */
  get last(): number {
    return this.#base.last + this.#pets.length;
  }

  /** Whether there is nothing to write, because all requests are known. */
  get isEmpty(): boolean {
    return this.#pets.length === 0;
  }

  #add({ pet, request }: Create, known: Known, now: number): IdempotentOutcome {
    const earlier = request && known.get(request.key);
    if (earlier && earlier.expires > now) {
      return earlier.fingerprint === request.fingerprint
        ? { outcome: "replayed", id: BigInt(earlier.id) }
        : { outcome: "reused" };
    }
    const id = this.last + 1;
    this.#pets.push({ id, pet });
    if (request) {
      const remembered = { id, fingerprint: request.fingerprint, expires: now + request.retentionMs };
      known.set(request.key, remembered);
      this.#remembered.push([request.key, remembered]);
    }
    return { outcome: "created", id: BigInt(id) };
  }

  /** Adds everything to an atomic operation. */
  write(atomic: KvAtomic): void {
    const layout = this.#layout;
    // No other check is needed, because every commit that changes a pet or a request changes the counter.
    atomic.check({ key: layout.counter, versionstamp: this.#base.versionstamp });
    // First, because a request with an expired key may be remembered again.
    for (const key of this.#expired) atomic.delete(key);
    for (const [key, remembered] of this.#remembered) {
      atomic.set(layout.remembered(key), toBytes(JSON.stringify(remembered)));
    }
    for (const { id, pet } of this.#pets) {
      const text = toBytes(formatPet({ id: BigInt(id), ...pet }));
      atomic.set(layout.pet(BigInt(id)), text);
      atomic.set(layout.petOfStatus(pet.status, BigInt(id)), text);
    }
    atomic.set(layout.counter, counterAt(this.last));
  }

  /**
   * The status of the commit, after KV has refused it or failed. "open" means that it has not been applied yet, but still may be, or
   * may be retried.
   *
   * @param counter The counter after that.
   * @param latest The last commit of this server, read in the same moment.
   */
  status(counter: CounterState, latest: Remembered | undefined): "applied" | "lost" | "open" {
    if (latest?.fingerprint === this.#author.commit) return "applied";
    return counter.versionstamp === this.#base.versionstamp ? "open" : "lost";
  }
}

/** The requests that KV remembers for some keys. */
export function knownRequests(keys: readonly string[], entries: readonly KvEntry[]): Known {
  const known: Known = new Map();
  keys.forEach((key, i) => {
    const remembered = fromJson<Remembered>(entries[i]!.value);
    if (remembered) known.set(key, remembered);
  });
  return known;
}
