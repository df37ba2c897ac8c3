/**
 * Keeps the responses to GET requests that come again:
 *
 * - A response is kept from the second request for its target on, if that comes soon.
 * - It is sent only while nothing has changed on which it depends; `Invalidation` says on what. The
 *   store counts its changes. The counters from before the response was made are kept with it, and
 *   each use compares them with the present ones. `StoreChanges` in stores/store.ts has an example.
 * - When the cache is full, the responses that have not been asked for lately are dropped
 *   ({@link RecentCache}).
 *
 * A request calls `find()` first. Just before the kept response is sent, after everything that
 * waits, it asks `isFresh()`. If there is no fresh response, `make()` makes one.
 */

import { chain, type MaybePromise } from "../promises.ts";
import type { RequestContext } from "./context.ts";
import { hashText } from "./hash.ts";
import { RecentCache } from "./recent_cache.ts";
import { KeptReply, type Reply } from "./reply.ts";
import type { Match } from "./router.ts";

/** The counters of a store's changes. */
export type ChangeCounters = Readonly<Record<"additions" | "alterations", number>>;

export interface KeptResponse {
  readonly reply: KeptReply;
  /** The operation of the target, which later requests need not look up. */
  readonly match: Match;
  /** The counters from before the response was made, since a pet may have been added while it was. */
  readonly before: ChangeCounters;
}

/** What a response takes beside its target and its body, in bytes. */
const RESPONSE_BYTES = 1400;

/** The most that the cache takes, in bytes. A larger one was measured to cost more than it saves. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Of how many targets the cache remembers at most that they have come. */
const MAX_SEEN = 512;

export class ResponseCache {
  readonly #changes: () => ChangeCounters;
  readonly #kept: RecentCache<KeptResponse>;
  /**
   * The hashes of targets that have come lately. A hash takes the place of an earlier one that has
   * the same remainder. A `Set` made each read that is not kept 0.1 µs slower.
   */
  readonly #seen = new Int32Array(MAX_SEEN);

  /** @param changes The present counters. */
  constructor(changes: () => ChangeCounters, maxBytes: number = MAX_BYTES) {
    this.#changes = changes;
    this.#kept = new RecentCache(maxBytes);
  }

  /** The kept response to a request, if there is one. It may be stale. */
  find({ method, targetKey }: RequestContext): KeptResponse | undefined {
    return method === "GET" ? this.#kept.get(targetKey) : undefined;
  }

  /** Whether nothing has changed that a kept response depends on. */
  isFresh({ before, reply }: KeptResponse): boolean {
    const now = this.#changes();
    if (now.alterations !== before.alterations) return false;
    return reply.invalidatedBy === "alteration" || now.additions === before.additions;
  }

  /** Makes the reply to a request. That to a GET is kept, if the target has come before and the reply permits it. */
  make(context: RequestContext, match: Match, makeReply: () => MaybePromise<Reply>): MaybePromise<Reply> {
    const { method, targetKey } = context;
    if (method !== "GET" || this.#isNew(targetKey)) return makeReply();
    // The counters are copied before the reply is made: pets may be added meanwhile, and a store may change its object.
    const { additions, alterations } = this.#changes();
    // A wrapper of a store may return a promise, which has no counters.
    if (!Number.isFinite(additions) || !Number.isFinite(alterations)) return makeReply();
    return chain(makeReply(), (reply) => {
      const { body, invalidatedBy } = reply;
      if (invalidatedBy === undefined || typeof body !== "string") return reply;
      const kept = { reply: new KeptReply(reply), match, before: { additions, alterations } };
      this.#kept.set(targetKey, kept, RESPONSE_BYTES + 2 * (targetKey.length + body.length));
      return reply;
    });
  }

  /** Whether a target has not come lately. From then on, it has. */
  #isNew(targetKey: string): boolean {
    const hash = hashText(targetKey, 0);
    const place = (hash >>> 0) % MAX_SEEN;
    const isNew = this.#seen[place] !== hash;
    this.#seen[place] = hash;
    return isNew;
  }
}
