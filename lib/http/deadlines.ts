/** Deadlines of many requests, with one timer. */

/** Cloudflare Workers end a timer together with the request that set it, so no timer can serve several requests there. */
export const TIMERS_END_WITH_REQUESTS = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** The least number of ticks in a deadline, which expires at most one tick too late. */
const TICKS = 8;

/** The longest tick, in milliseconds. */
const MAX_TICK = 1000;

/** A running deadline. */
export interface Deadline {
  readonly expire: () => void;
  /** The number of the tick at which it expires. */
  readonly due: number;
  readonly timer?: ReturnType<typeof setTimeout>;
}

/**
 * Deadlines of one length, counted in ticks of one timer, which runs only while there are deadlines. On Deno, a timer for
 * each (setTimeout and clearTimeout) takes 1.6 µs, and this takes 0.3 µs or less.
 */
export class Deadlines {
  readonly #length: number;
  readonly #tickLength: number;
  readonly #ticks: number;
  /** In the order in which they expire. */
  readonly #open = new Set<Deadline>();
  #now = 0;
  /** If the timer has not fired by then, in milliseconds since 1970, it is lost. 0 while no timer is set. */
  #tickBy = 0;

  /** @param length In milliseconds. */
  constructor(length: number) {
    this.#length = length;
    this.#tickLength = Math.min(Math.ceil(length / TICKS), MAX_TICK);
    // One more, because the current tick has partly passed when a deadline begins.
    this.#ticks = Math.ceil(length / this.#tickLength) + 1;
  }

  /** Calls `expire` when the time is up, unless {@link end} is called first. */
  begin(expire: () => void): Deadline {
    if (TIMERS_END_WITH_REQUESTS) return { expire, due: 0, timer: setTimeout(expire, this.#length) };
    const deadline = { expire, due: this.#now + this.#ticks };
    this.#open.add(deadline);
    // The timer may be lost: some hosts drop the timers of an isolate that they suspend.
    if (this.#tickBy < Date.now()) this.#tickLater();
    return deadline;
  }

  /** Ends a deadline. Ending it twice is harmless. */
  end(deadline: Deadline): void {
    this.#open.delete(deadline);
    if (deadline.timer !== undefined) clearTimeout(deadline.timer);
  }

  #tickLater(): void {
    const tickBy = this.#tickBy = Date.now() + 2 * this.#tickLength + MAX_TICK;
    // If a timer that was thought lost fires after all, it must not count a second tick.
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
