/** A cache of responses, which is never stale. */

import { hashText } from "../hash.ts";
import { chain, type MaybePromise } from "../maybe_promise.ts";
import type { RequestContext } from "./context.ts";
import { KeptReply, type Reply } from "./reply.ts";

/** Two counters that show whether the source of the responses has changed. */
export interface Changes {
  /** Grows with every addition. The last page may then have a successor. */
  additions: number;
  /** Grows whenever anything else may have changed. */
  alterations: number;
}

interface Entry {
  targetKey: string;
  reply: KeptReply & Reply;
  /** As in the context. */
  route: string;
  /** The value of the counter before the response was made. */
  additions: number;
  /** The approximate size in bytes. */
  weight: number;
}

/** The approximate size of an entry without its target and its body, in bytes. */
const ENTRY_WEIGHT = 1400;

/** In bytes. A larger one costs a server with many addresses more than it saves. */
const MAX_WEIGHT = 8 * 1024 * 1024;

/** About so many other targets may come before a target comes again. A power of two. */
const REMEMBERED = 512;

/** Keeps responses from their second request on. When one half is full, the other, with what was not asked for since, is dropped. */
export class ResponseCache {
  readonly #changes: () => Changes;
  readonly #maxWeight: number;
  /** By the hash of the target. */
  #entries = new Map<number, Entry>();
  #older = new Map<number, Entry>();
  /** Of `#entries`. */
  #weight = 0;
  #alterations = -1;
  /** Hashes of targets, each at an index that follows from it. */
  readonly #seen = new Int32Array(REMEMBERED);
  #lastTarget = "";
  #lastHash = 0;

  /** @param maxWeight The largest size, in bytes. */
  constructor(changes: () => Changes, maxWeight: number = MAX_WEIGHT) {
    this.#changes = changes;
    this.#maxWeight = maxWeight;
  }

  /** Whether a reply is kept, which may be stale. */
  has({ targetKey }: RequestContext): boolean {
    const hash = this.#hashOf(targetKey);
    return (this.#entries.get(hash) ?? this.#older.get(hash))?.targetKey === targetKey;
  }

  /** The kept reply to a GET, if it is still valid. */
  find({ targetKey }: RequestContext): Readonly<Entry> | undefined {
    const hash = this.#hashOf(targetKey);
    const recent = this.#entries.get(hash);
    const entry = recent ?? this.#older.get(hash);
    if (entry?.targetKey !== targetKey) return undefined;
    const { additions, alterations } = this.#changes();
    if (alterations !== this.#alterations) return void this.#clear(alterations);
    if (entry.reply.validUntil === "addition" && entry.additions !== additions) return undefined;
    if (!recent) this.#add(hash, entry);
    return entry;
  }

  /** Makes the reply to a GET, and keeps it if it says until when it is valid. */
  make(context: RequestContext, make: () => MaybePromise<Reply>): MaybePromise<Reply> {
    const hash = this.#hashOf(context.targetKey);
    if (!this.#isSeen(hash)) return make();
    // Read before the reply is made, because pets may be added meanwhile.
    const { additions, alterations } = this.#changes();
    if (alterations !== this.#alterations) this.#clear(alterations);
    return chain(make(), (reply) => {
      if (alterations === this.#alterations) this.#keep(hash, context, reply, additions);
      return reply;
    });
  }

  #hashOf(target: string): number {
    if (target !== this.#lastTarget) {
      this.#lastHash = hashText(target, 0, 0) | 0;
      this.#lastTarget = target;
    }
    return this.#lastHash;
  }

  /** Whether a target was asked for lately. From now on it was. */
  #isSeen(hash: number): boolean {
    const index = hash & (REMEMBERED - 1);
    const isSeen = this.#seen[index] === hash;
    this.#seen[index] = hash;
    return isSeen;
  }

  #keep(hash: number, { targetKey, route = "" }: RequestContext, reply: Reply, additions: number): void {
    const { body, validUntil } = reply;
    if (validUntil === undefined || typeof body !== "string") return;
    const weight = ENTRY_WEIGHT + 2 * (targetKey.length + body.length);
    if (weight <= this.#maxWeight / 2) {
      this.#add(hash, { targetKey, reply: new KeptReply(reply), route, additions, weight });
    }
  }

  #add(hash: number, entry: Entry): void {
    this.#weight += entry.weight - (this.#entries.get(hash)?.weight ?? 0);
    if (this.#weight > this.#maxWeight / 2) {
      this.#older = this.#entries;
      this.#entries = new Map();
      this.#weight = entry.weight;
    }
    this.#entries.set(hash, entry);
  }

  #clear(alterations: number): void {
    this.#alterations = alterations;
    this.#entries.clear();
    this.#older.clear();
    this.#weight = 0;
  }
}
