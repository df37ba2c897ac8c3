/** Workers end a timer with the request that set it. */
export const TIMERS_END_WITH_REQUESTS = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** A deadline is at most a tick late. */
const TICKS = 8, LONG_TICK = 1000;

/** How late a timer may fire, in milliseconds. */
const MAX_DELAY = 1000;

export interface Deadline {
  readonly expire: () => void;
  /** The tick with which it expires. */
  readonly due: number;
  readonly timer?: ReturnType<typeof setTimeout>;
}

/** One timer and its ticks serve all deadlines, because a timer or a clock for each costs more. */
export class Deadlines {
  readonly #length: number;
  readonly #ticks: number;
  readonly #open = new Set<Deadline>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tick = 0;
  #tickedAt = 0;

  /** In milliseconds. */
  constructor(length: number) {
    this.#length = length;
    this.#ticks = Math.max(TICKS, Math.ceil(length / LONG_TICK));
  }

  begin(expire: () => void): Deadline {
    if (TIMERS_END_WITH_REQUESTS) return { expire, due: 0, timer: setTimeout(expire, this.#length) };
    if (this.#timer === undefined || (this.#open.size > 0 && this.#isTimerLost())) this.#setTimer();
    // Part of the present tick is over.
    const deadline = { expire, due: this.#tick + this.#ticks + 1 };
    this.#open.add(deadline);
    return deadline;
  }

  /** Ending one twice is harmless. */
  end(deadline: Deadline): void {
    if (deadline.timer !== undefined) clearTimeout(deadline.timer);
    this.#open.delete(deadline);
  }

  get #interval(): number {
    return this.#length / this.#ticks;
  }

  #setTimer(): void {
    // A timer that seemed lost may fire after all.
    clearTimeout(this.#timer);
    this.#tickedAt = performance.now();
    this.#timer = setTimeout(() => this.#pass(), this.#interval);
  }

  /** Hosts that suspend an isolate may drop its timers. */
  #isTimerLost(): boolean {
    return performance.now() - this.#tickedAt > 2 * this.#interval + MAX_DELAY;
  }

  #pass(): void {
    this.#tick++;
    for (const deadline of this.#open) {
      if (deadline.due > this.#tick) break;
      this.end(deadline);
      deadline.expire();
    }
    this.#timer = undefined;
    if (this.#open.size > 0) this.#setTimer();
  }
}
