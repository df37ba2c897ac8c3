/**
 * Keeps the responses to GET requests that come again. A kept response is never stale, because each use compares two
 * counters of the store with those before the response was made: `StoreChanges` in stores/store.ts has the whole rule.
 */

import { hashText } from "./hash.ts";
import { chain, type MaybePromise } from "../promises.ts";
import type { RequestContext } from "./context.ts";
import { KeptReply, type Reply } from "./reply.ts";

/** Two counters that show whether the source of the responses has changed. */
export interface Changes {
  /** Grows with every addition. The last page may then have a successor. */
  additions: number;
  /** Grows whenever anything but an addition may have changed. */
  alterations: number;
}

export interface Entry {
  readonly hash: number;
  readonly targetKey: string;
  readonly reply: KeptReply;
  /** The route that the context of the first request had. */
  readonly route: string | undefined;
  /** The counters of the store from before the response was made, since a pet may have been added while it was. */
  readonly before: Changes;
  /** About how many bytes of memory the entry takes. */
  readonly weight: number;
}

/** What an entry takes beside its target and its body, in bytes. */
const ENTRY_WEIGHT = 1400;

/** The most that the cache takes, in bytes. A larger one was measured to cost more than it saves. */
const MAX_WEIGHT = 8 * 1024 * 1024;

/**
 * The size of the table of targets that have come once; a power of two. The response to a target is kept if its second request comes before
 * about this many others.
 */
const SEEN_TARGETS = 512;

export interface ResponseCache {
  /** Finds the entry of a target. Its response may be stale: ask {@link useIfFresh} just before it is sent, after anything that waits. */
  find(context: RequestContext): Entry | undefined;
  /** Whether nothing has changed that the response depends on. If so, the caller sends it, and the entry counts as used. */
  useIfFresh(entry: Entry): boolean;
  /** Makes the reply to a GET, and keeps it if the target has come before and the reply may be cached. */
  make(context: RequestContext, makeReply: () => MaybePromise<Reply>): MaybePromise<Reply>;
}

/**
 * The cache has two halves. A response is kept from its second request on, in the newer half. When that is full, it
 * becomes the older half, and what was there is dropped, except what has been asked for since: each use moves an entry to
 * the newer half.
 */
export function createResponseCache(changes: () => Changes, maxWeight: number = MAX_WEIGHT): ResponseCache {
  let newer = new Map<number, Entry>();
  let older = new Map<number, Entry>();
  let newerWeight = 0;
  /** Hashes of targets, each at an index that follows from it. */
  const seen = new Int32Array(SEEN_TARGETS);

  function keep(hash: number, { targetKey, route }: RequestContext, reply: Reply, before: Changes): void {
    const { body, invalidatedBy } = reply;
    if (invalidatedBy === undefined || typeof body !== "string") return;
    const weight = ENTRY_WEIGHT + 2 * (targetKey.length + body.length);
    if (weight <= maxWeight / 2) add({ hash, targetKey, reply: new KeptReply(reply), route, before, weight });
  }

  /** Adds an entry to the newer half. If that is full, it becomes the older half, and the old one is dropped. */
  function add(entry: Entry): void {
    newerWeight += entry.weight - (newer.get(entry.hash)?.weight ?? 0);
    if (newerWeight > maxWeight / 2) {
      older = newer;
      newer = new Map();
      newerWeight = entry.weight;
    }
    newer.set(entry.hash, entry);
  }

  return {
    find({ targetKey }) {
      const hash = hashText(targetKey, 0);
      const entry = newer.get(hash) ?? older.get(hash);
      return entry?.targetKey === targetKey ? entry : undefined;
    },
    useIfFresh(entry) {
      const { additions, alterations } = changes();
      const { before, reply } = entry;
      // A wrapper of a store may return a promise, which has no counters. The difference of such missing counters is NaN, and counts as a
      // change.
      if (before.alterations - alterations !== 0) return false;
      if (before.additions - additions !== 0 && reply.invalidatedBy === "addition") return false;
      if (newer.get(entry.hash) !== entry) add(entry);
      return true;
    },
    make(context, makeReply) {
      const hash = hashText(context.targetKey, 0);
      const index = hash & (SEEN_TARGETS - 1);
      if (seen[index] !== hash) {
        seen[index] = hash;
        return makeReply();
      }
      // The counters are copied before the reply is made: pets may be added meanwhile, and a store may change its object.
      const before = { ...changes() };
      return chain(makeReply(), (reply) => {
        keep(hash, context, reply, before);
        return reply;
      });
    },
  };
}
