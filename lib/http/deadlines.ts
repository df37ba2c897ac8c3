/** Deadlines for many requests at once, with one timer. */

/**
 * Cloudflare Workers end a timer with the request that set it, so no timer can serve several requests there.
 */
export const TIMERS_END_WITH_REQUESTS = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** Ticks in a deadline: it expires after its length, and at most one tick later. */
const TICKS = 8;

/** The longest tick, in milliseconds. The timer ticks only while there are deadlines. */
const MAX_TICK = 1000;

/** A deadline that has begun. */
export interface Deadline {
  readonly expire: () => void;
  /** The tick at which it expires. */
  readonly due: number;
  readonly timer?: ReturnType<typeof setTimeout>;
}

/**
 * Deadlines of one length, counted in ticks of one timer. A timer for each, or a look at an exact clock, would cost a POST
 * on Deno a twentieth of its time.
 */
export class Deadlines {
  readonly #length: number;
  readonly #tickLength: number;
  readonly #ticks: number;
  /** In the order in which they are due. */
  readonly #open = new Set<Deadline>();
  #now = 0;
  /** When the timer should have fired for certain, in milliseconds since 1970; 0 while it is not set. */
  #tickBy = 0;

  /** @param length In milliseconds. */
  constructor(length: number) {
    this.#length = length;
    this.#tickLength = Math.min(Math.ceil(length / TICKS), MAX_TICK);
    // The tick during which a deadline begins does not count.
    this.#ticks = Math.ceil(length / this.#tickLength) + 1;
  }

  /** Calls `expire` when the time is up, unless {@link end} comes first. */
  begin(expire: () => void): Deadline {
    if (TIMERS_END_WITH_REQUESTS) return { expire, due: 0, timer: setTimeout(expire, this.#length) };
    const deadline = { expire, due: this.#now + this.#ticks };
    this.#open.add(deadline);
    // Some hosts drop the timers of an isolate that they put to sleep.
    if (this.#tickBy < Date.now()) this.#tickLater();
    return deadline;
  }

  /** Drops a deadline. To do so twice does nothing. */
  end(deadline: Deadline): void {
    this.#open.delete(deadline);
    if (deadline.timer !== undefined) clearTimeout(deadline.timer);
  }

  #tickLater(): void {
    const tickBy = this.#tickBy = Date.now() + 2 * this.#tickLength + MAX_TICK;
    // A timer that was taken for lost and fires after all must not make time run twice as fast.
    setTimeout(() => this.#tickBy === tickBy && this.#tick(), this.#tickLength);
  }

  #tick(): void {
    this.#now++;
    for (const deadline of this.#open) {
      if (deadline.due > this.#now) break;
      this.#open.delete(deadline);
      deadline.expire();
    }
    this.#tickBy = 0;
    if (this.#open.size > 0) this.#tickLater();
  }
}
