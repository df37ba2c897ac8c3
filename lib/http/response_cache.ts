/** A cache of responses. Pets rarely change, so most reads need neither the store nor a new entity tag. It is never stale. */

import { chain, type MaybePromise } from "../maybe_promise.ts";
import type { KeptReply, RequestContext } from "./context.ts";
import type { HeaderFields, Reply } from "./reply.ts";

/** Two counters that show whether the source of the responses has changed. */
export interface Changes {
  /** Grows with every addition. The last page may then have a successor. */
  additions: number;
  /** Grows whenever anything else may have changed. */
  alterations: number;
}

interface Entry extends KeptReply {
  /** As in the context. */
  route: string | undefined;
  operationFields: HeaderFields | undefined;
  /** The value of the counter before the response was made. */
  additions: number;
  /** The approximate size in bytes. */
  weight: number;
}

/** The approximate size of an entry without its target and its body, in bytes. More than half of it is the template. */
const ENTRY_WEIGHT = 1400;

/** The largest size of a cache, in bytes. */
const MAX_WEIGHT = 32 * 1024 * 1024;

/** Keeps responses by target. A cache that is full is emptied: the frequent responses are soon there again. */
export class ResponseCache {
  readonly #changes: () => Changes;
  readonly #maxWeight: number;
  readonly #entries = new Map<string, Entry>();
  #weight = 0;
  #alterations = -1;

  /**
   * @param changes Reads the counters. Not called for an unknown target.
   * @param maxWeight The largest size, in bytes.
   */
  constructor(changes: () => Changes, maxWeight: number = MAX_WEIGHT) {
    this.#changes = changes;
    this.#maxWeight = maxWeight;
  }

  /** Whether a reply is kept, which may be stale. */
  has({ targetKey }: RequestContext): boolean {
    return this.#entries.has(targetKey);
  }

  /** The kept reply to a GET, if it is still valid. */
  find(context: RequestContext): Reply | undefined {
    const entry = this.#entries.get(context.targetKey);
    if (!entry) return undefined;
    const { additions, alterations } = this.#changes();
    if (alterations !== this.#alterations) return void this.#clear(alterations);
    if (entry.reply.validUntil === "addition" && entry.additions !== additions) return undefined;
    context.route = entry.route;
    context.operationFields = entry.operationFields;
    context.kept = entry;
    return entry.reply;
  }

  /** Makes the reply to a GET, and keeps it if it says until when it is valid. */
  make(context: RequestContext, make: () => MaybePromise<Reply>): MaybePromise<Reply> {
    // Read before the reply is made, because pets may be added meanwhile.
    const { additions, alterations } = this.#changes();
    if (alterations !== this.#alterations) this.#clear(alterations);
    return chain(make(), (reply) => {
      if (alterations === this.#alterations) this.#keep(context, reply, additions);
      return reply;
    });
  }

  #keep({ targetKey, route, operationFields }: RequestContext, reply: Reply, additions: number): void {
    const { body, validUntil } = reply;
    if (validUntil === undefined || typeof body !== "string") return;
    const weight = ENTRY_WEIGHT + 2 * (targetKey.length + body.length);
    if (weight > this.#maxWeight) return;
    this.#weight += weight - (this.#entries.get(targetKey)?.weight ?? 0);
    if (this.#weight > this.#maxWeight) {
      this.#clear(this.#alterations);
      this.#weight = weight;
    }
    this.#entries.set(targetKey, { reply, template: undefined, route, operationFields, additions, weight });
  }

  #clear(alterations: number): void {
    this.#alterations = alterations;
    this.#entries.clear();
    this.#weight = 0;
  }
}
