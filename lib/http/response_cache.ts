/**
 * Keeps the responses to GET requests that come again:
 *
 * - A response is kept from the second request for its target on, if that comes soon.
 * - It is sent only while nothing has changed on which it depends. The store counts its changes. The counters from before the response was made
 *   are kept with it, and each use compares them with the present ones. The comment in stores/store_changes.ts has the rules, with an example.
 * - When the cache is full, the responses that have not been asked for lately are dropped ({@link RecentEntries}).
 *
 * Targets are found by their hashes, because a `Map` with URLs as its keys takes a microsecond for each look-up.
 */

import { chain, type MaybePromise } from "../promises.ts";
import type { RequestContext } from "./context.ts";
import { hashText } from "./hash.ts";
import { KeptReply, type Reply } from "./reply.ts";

/** Two counters that show whether the source of the responses has changed. */
export interface Changes {
  /** Grows with every addition. The last page may then have a successor. */
  additions: number;
  /** Grows whenever anything but an addition may have changed. */
  alterations: number;
}

/** A response that the cache keeps, and what tells whether it may still be sent. */
export interface Entry {
  readonly targetKey: string;
  /** The hash of `targetKey`. */
  readonly hash: number;
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

/** Of how many targets the cache remembers at most that they have come. */
const MAX_SEEN = 512;

export class ResponseCache {
  readonly #changes: () => Changes;
  /** The hashes of targets that have come lately. A hash takes the place of an earlier one that has the same remainder. */
  readonly #seen = new Int32Array(MAX_SEEN);
  readonly #entries: RecentEntries;

  /** @param changes The present counters. */
  constructor(changes: () => Changes, maxBytes: number = MAX_BYTES) {
    this.#changes = changes;
    this.#entries = new RecentEntries(maxBytes / 2);
  }

  /** Finds the entry of a target. Its response may be stale: ask {@link useIfFresh} just before it is sent, after anything that waits. */
  find({ targetKey }: RequestContext): Entry | undefined {
    return this.#entries.find(targetKey, hashText(targetKey, 0));
  }

  /** Whether nothing has changed that the response depends on. If so, the caller sends it, and the entry counts as used. */
  useIfFresh(entry: Entry): boolean {
    const { before, reply } = entry;
    const now = this.#changes();
    if (hasChanged(before.alterations, now.alterations)) return false;
    if (reply.invalidatedBy === "addition" && hasChanged(before.additions, now.additions)) return false;
    this.#entries.keepLonger(entry);
    return true;
  }

  /** Makes the reply to a GET, and keeps it if the target has come before and the reply may be cached. */
  make(context: RequestContext, makeReply: () => MaybePromise<Reply>): MaybePromise<Reply> {
    const { targetKey } = context;
    const hash = hashText(targetKey, 0);
    const place = (hash >>> 0) % MAX_SEEN;
    if (this.#seen[place] !== hash) {
      this.#seen[place] = hash;
      return makeReply();
    }
    // The counters are copied before the reply is made: pets may be added meanwhile, and a store may change its object.
    const before = { ...this.#changes() };
    return chain(makeReply(), (reply) => {
      const { body, invalidatedBy } = reply;
      if (invalidatedBy === undefined || typeof body !== "string") return reply;
      const bytes = ENTRY_BYTES + 2 * (targetKey.length + body.length);
      this.#entries.add({ targetKey, hash, reply: new KeptReply(reply), route: context.route, before, bytes });
      return reply;
    });
  }
}

/**
 * Whether a counter has another value than before. A wrapper of a store may return a promise, which has no counters. A missing counter counts as
 * changed, because its difference is NaN.
 */
function hasChanged(before: number, now: number): boolean {
  return before - now !== 0;
}

/**
 * The entries that were added or used lately, in two halves. Each use moves an entry to the newer half. When that is full, it becomes the older
 * half, and what is left in the old one is dropped.
 */
class RecentEntries {
  readonly #maxBytesOfHalf: number;
  /** The entries by the hashes of their targets. Of two targets with the same hash, the later one is kept. */
  #newer = new Map<number, Entry>();
  #older = new Map<number, Entry>();
  #newerBytes = 0;

  constructor(maxBytesOfHalf: number) {
    this.#maxBytesOfHalf = maxBytesOfHalf;
  }

  find(targetKey: string, hash: number): Entry | undefined {
    const entry = this.#newer.get(hash) ?? this.#older.get(hash);
    // Another target may have the same hash.
    return entry?.targetKey === targetKey ? entry : undefined;
  }

  keepLonger(entry: Entry): void {
    const isInNewerHalf = this.#newer.get(entry.hash) === entry;
    if (!isInNewerHalf) this.add(entry);
  }

  /** Adds an entry, unless it alone is larger than a half. */
  add(entry: Entry): void {
    if (entry.bytes > this.#maxBytesOfHalf) return;
    const replaced = this.#newer.get(entry.hash);
    if (replaced) this.#newerBytes -= replaced.bytes;
    this.#newerBytes += entry.bytes;
    if (this.#newerBytes > this.#maxBytesOfHalf) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#newerBytes = entry.bytes;
    }
    this.#newer.set(entry.hash, entry);
  }
}
