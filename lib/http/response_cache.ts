/**
 * Keeps the responses to GET requests that come again:
 *
 * - A response is kept from the second request for its target on, if that comes soon.
 * - It is sent only while nothing has changed on which it depends. The store counts its changes. The counters from before the response was made
 *   are kept with it, and each use compares them with the present ones. `StoreChanges` in stores/store.ts says what a store must do for this.
 * - When the cache is full, the responses that have not been asked for lately are dropped.
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
  /** The hash of the target. It finds the entry, and `targetKey` tells whether it is that of another target with the same hash. */
  readonly hash: number;
  readonly targetKey: string;
  readonly reply: KeptReply;
  /** The route of the target. The pipeline sets it in the context of each later request, for the log. */
  readonly route: string | undefined;
  /** The counters of the store from before the response was made, since a pet may have been added while it was. */
  readonly before: Changes;
  /** About how many bytes of memory the entry takes. */
  readonly bytes: number;
}

/** What an entry takes beside its target and its body, in bytes. */
const ENTRY_BYTES = 1400;

/** The most that the cache takes, in bytes. A larger one was measured to cost more than it saves. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * How many targets that have come once are remembered. The response to a target is kept if its second request comes before about this many
 * others.
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
export function createResponseCache(changes: () => Changes, maxBytes: number = MAX_BYTES): ResponseCache {
  /** The entries by the hashes of their targets, like `older`. Of two targets with the same hash, the later one is kept. */
  let newer = new Map<number, Entry>();
  let older = new Map<number, Entry>();
  let newerBytes = 0;
  /** The hashes of the targets that have come once. */
  const seen = new Int32Array(SEEN_TARGETS);

  return {
    find({ targetKey }) {
      const hash = hashText(targetKey, 0);
      const entry = newer.get(hash) ?? older.get(hash);
      return entry?.targetKey === targetKey ? entry : undefined;
    },
    useIfFresh(entry) {
      const { before, reply } = entry;
      const now = changes();
      if (hasChanged(before.alterations, now.alterations)) return false;
      if (reply.invalidatedBy === "addition" && hasChanged(before.additions, now.additions)) return false;
      const isInNewerHalf = newer.get(entry.hash) === entry;
      if (!isInNewerHalf) add(entry);
      return true;
    },
    make(context, makeReply) {
      const hash = hashText(context.targetKey, 0);
      if (!noteTarget(hash)) return makeReply();
      // The counters are copied before the reply is made: pets may be added meanwhile, and a store may change its object.
      const before = { ...changes() };
      return chain(makeReply(), (reply) => {
        keep(hash, context, reply, before);
        return reply;
      });
    },
  };

  /**
   * Remembers a target, in the place of an earlier one whose hash has the same remainder.
   *
   * @returns Whether the target has come lately.
   */
  function noteTarget(hash: number): boolean {
    const unsignedHash = hash >>> 0;
    const place = unsignedHash % SEEN_TARGETS;
    if (seen[place] === hash) return true;
    seen[place] = hash;
    return false;
  }

  function keep(hash: number, { targetKey, route }: RequestContext, reply: Reply, before: Changes): void {
    const { body, invalidatedBy } = reply;
    if (invalidatedBy === undefined || typeof body !== "string") return;
    const bytesOfTexts = 2 * (targetKey.length + body.length);
    const bytes = ENTRY_BYTES + bytesOfTexts;
    if (bytes <= maxBytes / 2) add({ hash, targetKey, reply: new KeptReply(reply), route, before, bytes });
  }

  /** Adds an entry to the newer half. If that is full, it becomes the older half, and the old one is dropped. */
  function add(entry: Entry): void {
    const replaced = newer.get(entry.hash);
    if (replaced) newerBytes -= replaced.bytes;
    newerBytes += entry.bytes;
    if (newerBytes > maxBytes / 2) {
      older = newer;
      newer = new Map();
      newerBytes = entry.bytes;
    }
    newer.set(entry.hash, entry);
  }
}

/**
 * Whether a counter has another value than before. A wrapper of a store may return a promise, which has no counters. A missing counter counts as
 * changed, because its difference is NaN.
 */
function hasChanged(before: number, now: number): boolean {
  return before - now !== 0;
}
