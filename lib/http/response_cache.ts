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

export interface Entry {
  readonly hash: number;
  readonly targetKey: string;
  readonly reply: KeptReply & Reply;
  /** As in the context. */
  readonly route: string | undefined;
  /** The counters before the response was made. */
  readonly made: Changes;
  /** In bytes, about. */
  readonly weight: number;
}

/** Of an entry without its target and its body, in bytes. */
const ENTRY_WEIGHT = 1400;

/** In bytes. A larger one costs more than it saves. */
const MAX_WEIGHT = 8 * 1024 * 1024;

/** About so many targets may come between two requests of one. A power of two. */
const REMEMBERED = 512;

/** Keeps responses from their second request on. A full half replaces the other, with what was not asked for since. */
export class ResponseCache {
  readonly #changes: () => Changes;
  readonly #maxWeight: number;
  #entries = new Map<number, Entry>();
  #older = new Map<number, Entry>();
  #weight = 0;
  /** Hashes of targets, each at an index that follows from it. */
  readonly #seen = new Int32Array(REMEMBERED);

  constructor(changes: () => Changes, maxWeight: number = MAX_WEIGHT) {
    this.#changes = changes;
    this.#maxWeight = maxWeight;
  }

  /** The kept response, which may be stale. */
  find({ targetKey }: RequestContext): Entry | undefined {
    const hash = hashOf(targetKey);
    const entry = this.#entries.get(hash) ?? this.#older.get(hash);
    return entry?.targetKey === targetKey ? entry : undefined;
  }

  /** Whether a kept response is valid, and thus used now. */
  use(entry: Entry): boolean {
    const { additions, alterations } = this.#changes();
    const { made, reply } = entry;
    if (made.alterations !== alterations) return false;
    if (made.additions !== additions && reply.validUntil === "addition") return false;
    if (this.#entries.get(entry.hash) !== entry) this.#add(entry);
    return true;
  }

  /** Makes the reply to a GET, and may keep it. */
  make(context: RequestContext, make: () => MaybePromise<Reply>): MaybePromise<Reply> {
    const hash = hashOf(context.targetKey);
    if (!this.#isSeen(hash)) return make();
    // Read before the reply is made, because pets may be added meanwhile. A store may change its object.
    const made = { ...this.#changes() };
    return chain(make(), (reply) => {
      this.#keep(hash, context, reply, made);
      return reply;
    });
  }

  #isSeen(hash: number): boolean {
    const index = hash & (REMEMBERED - 1);
    const isSeen = this.#seen[index] === hash;
    this.#seen[index] = hash;
    return isSeen;
  }

  #keep(hash: number, { targetKey, route }: RequestContext, reply: Reply, made: Changes): void {
    const { body, validUntil } = reply;
    if (validUntil === undefined || typeof body !== "string") return;
    const weight = ENTRY_WEIGHT + 2 * (targetKey.length + body.length);
    if (weight <= this.#maxWeight / 2) {
      this.#add({ hash, targetKey, reply: new KeptReply(reply), route, made, weight });
    }
  }

  #add(entry: Entry): void {
    this.#weight += entry.weight - (this.#entries.get(entry.hash)?.weight ?? 0);
    if (this.#weight > this.#maxWeight / 2) {
      this.#older = this.#entries;
      this.#entries = new Map();
      this.#weight = entry.weight;
    }
    this.#entries.set(entry.hash, entry);
  }
}

function hashOf(target: string): number {
  return hashText(target, 0, 0) | 0;
}
