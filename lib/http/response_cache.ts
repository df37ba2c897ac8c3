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

export interface ResponseCache {
  /** The kept response, which may be stale. */
  find(context: RequestContext): Entry | undefined;
  /** Whether a kept response is valid, and thus used now. */
  use(entry: Entry): boolean;
  /** May keep the reply to a GET. */
  make(context: RequestContext, make: () => MaybePromise<Reply>): MaybePromise<Reply>;
}

/** Keeps responses from their second request on. A full half replaces the other, with what was not asked for since. */
export function createResponseCache(changes: () => Changes, maxWeight: number = MAX_WEIGHT): ResponseCache {
  let entries = new Map<number, Entry>(), older = new Map<number, Entry>(), total = 0;
  /** Hashes of targets, each at an index that follows from it. */
  const seen = new Int32Array(REMEMBERED);

  function keep(hash: number, { targetKey, route }: RequestContext, reply: Reply, made: Changes): void {
    const { body, validUntil } = reply;
    if (validUntil === undefined || typeof body !== "string") return;
    const weight = ENTRY_WEIGHT + 2 * (targetKey.length + body.length);
    if (weight <= maxWeight / 2) add({ hash, targetKey, reply: new KeptReply(reply), route, made, weight });
  }

  function add(entry: Entry): void {
    total += entry.weight - (entries.get(entry.hash)?.weight ?? 0);
    if (total > maxWeight / 2) {
      older = entries;
      entries = new Map();
      total = entry.weight;
    }
    entries.set(entry.hash, entry);
  }

  return {
    find({ targetKey }) {
      const hash = hashText(targetKey, 0, 0);
      const entry = entries.get(hash) ?? older.get(hash);
      return entry?.targetKey === targetKey ? entry : undefined;
    },
    use(entry) {
      const { additions, alterations } = changes();
      const { made, reply } = entry;
      if (made.alterations !== alterations) return false;
      if (made.additions !== additions && reply.validUntil === "addition") return false;
      if (entries.get(entry.hash) !== entry) add(entry);
      return true;
    },
    make(context, make) {
      const hash = hashText(context.targetKey, 0, 0), index = hash & (REMEMBERED - 1);
      if (seen[index] !== hash) {
        seen[index] = hash;
        return make();
      }
      // Read before the reply is made, because pets may be added meanwhile. A store may change its object.
      const made = { ...changes() };
      return chain(make(), (reply) => {
        keep(hash, context, reply, made);
        return reply;
      });
    },
  };
}
