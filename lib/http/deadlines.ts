/** Deadlines of many requests, with one timer. */

/** Cloudflare Workers end a timer together with the request that set it, so no timer can serve several requests there. */
export const TIMERS_END_WITH_REQUESTS = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** A deadline expires at most one tick too late: an eighth of its length, or about a second if that is less. */
const TICKS = 8, LONG_TICK = 1000;

/** How late a timer may fire, in milliseconds. */
const MAX_DELAY = 1000;

/** A running deadline. */
export interface Deadline {
  readonly expire: () => void;
  /** The tick with which it expires. */
  readonly due: number;
  readonly timer?: ReturnType<typeof setTimeout>;
  /** Where it is among the running ones. */
  index: number;
}

/**
 * Deadlines of one length, with one timer, which runs only while there are deadlines. They are counted in ticks of that timer: on
 * Deno, a timer for each (setTimeout and clearTimeout) takes 1.6 µs, and a look at the clock alone 0.1 to 0.25.
 */
export class Deadlines {
  readonly #length: number;
  readonly #ticks: number;
  readonly #open: Deadline[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The number of the last tick. */
  #tick = 0;
  #tickedAt = 0;

  /** @param length In milliseconds. */
  constructor(length: number) {
    this.#length = length;
    this.#ticks = Math.max(TICKS, Math.ceil(length / LONG_TICK));
  }

  /** Calls `expire` when the time is up, unless {@link end} is called first. */
  begin(expire: () => void): Deadline {
    if (TIMERS_END_WITH_REQUESTS) return { expire, due: 0, timer: setTimeout(expire, this.#length), index: 0 };
    const open = this.#open;
    if (this.#timer === undefined || (open.length > 0 && this.#isTimerLost())) this.#setTimer();
    // A part of the present tick is over.
    const deadline = { expire, due: this.#tick + this.#ticks + 1, index: open.length };
    open.push(deadline);
    return deadline;
  }

  /** Ends a deadline. Ending it twice is harmless. */
  end(deadline: Deadline): void {
    if (deadline.timer !== undefined) clearTimeout(deadline.timer);
    const { index } = deadline, open = this.#open;
    if (open[index] !== deadline) return;
    const last = open.pop()!;
    // Its place is taken by the last one.
    if (last !== deadline) open[last.index = index] = last;
  }

  get #interval(): number {
    return this.#length / this.#ticks;
  }

  #setTimer(): void {
    // A timer that was thought lost may fire after all.
    clearTimeout(this.#timer);
    this.#tickedAt = performance.now();
    this.#timer = setTimeout(() => this.#pass(), this.#interval);
  }

  /**
   * Some hosts drop the timers of an isolate that they suspend. Asked only if there are other deadlines, so that a body that is
   * there already needs no clock.
   */
  #isTimerLost(): boolean {
    return performance.now() - this.#tickedAt > 2 * this.#interval + MAX_DELAY;
  }

  #pass(): void {
    this.#tick++;
    for (const deadline of this.#open.filter(({ due }) => due <= this.#tick)) {
      this.end(deadline);
      deadline.expire();
    }
    this.#timer = undefined;
    if (this.#open.length > 0) this.#setTimer();
  }
}
