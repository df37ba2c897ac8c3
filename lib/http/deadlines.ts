/** Deadlines for many requests at once, with one timer. */

/**
 * Cloudflare Workers end a timer with the request that set it, so no timer can serve several requests there.
 */
export const TIMERS_END_WITH_REQUESTS = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** After this many milliseconds, an overdue timer is taken for lost: some hosts drop the timers of a sleeping isolate. */
const GRACE = 1000;

/** The timer never runs for longer than this after the last deadline has gone, so that it does not keep a process alive. */
const MAX_WAIT = 1000;

/** A deadline that has begun. */
export interface Deadline {
  readonly expire: () => void;
  /** On the clock of `performance.now()`. */
  readonly due: number;
  readonly timer?: ReturnType<typeof setTimeout>;
}

/** Deadlines of one length. A timer for each would cost a POST a twelfth of its time on Deno. */
export class Deadlines {
  readonly #length: number;
  /** In the order in which they are due. */
  readonly #open = new Set<Deadline>();
  /** When the timer should fire, if it is set. */
  #alarm = -Infinity;

  /** @param length In milliseconds. */
  constructor(length: number) {
    this.#length = length;
  }

  /** Calls `expire` when the time is up, unless {@link end} comes first. */
  begin(expire: () => void): Deadline {
    if (TIMERS_END_WITH_REQUESTS) return { expire, due: 0, timer: setTimeout(expire, this.#length) };
    const now = performance.now();
    const deadline = { expire, due: now + this.#length };
    this.#open.add(deadline);
    if (this.#alarm + GRACE < now) this.#setAlarm(deadline.due, now);
    return deadline;
  }

  /** Drops a deadline. To do so twice does nothing. */
  end(deadline: Deadline): void {
    this.#open.delete(deadline);
    if (deadline.timer !== undefined) clearTimeout(deadline.timer);
  }

  #setAlarm(due: number, now: number): void {
    const delay = Math.min(Math.ceil(due - now), MAX_WAIT);
    const alarm = this.#alarm = now + delay;
    setTimeout(() => this.#alarm === alarm && this.#ring(), delay);
  }

  #ring(): void {
    this.#alarm = -Infinity;
    const now = performance.now();
    for (const deadline of this.#open) {
      if (deadline.due > now) return this.#setAlarm(deadline.due, now);
      this.#open.delete(deadline);
      deadline.expire();
    }
  }
}
