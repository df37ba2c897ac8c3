/** Deadlines by the thousand, for the price of one timer. */

/** What is waited for. A link of a list, so that to begin and to end cost no hash. */
export interface Deadline {
  /** The tick at which it is too late. */
  due: number;
  expire: () => void;
  previous: Deadline | undefined;
  next: Deadline | undefined;
  /** Its own, where none can be shared. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Cloudflare Workers end a timer with the request that set it. One timer for all would leave a body that stalls waiting
 * for ever, once the request that has set the timer is answered.
 */
export const TIMERS_END_WITH_REQUESTS = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** Ticks in a deadline: it expires after its length, and at most an eighth later. */
const TICKS = 8;

/** In milliseconds. The timer ticks only while something is waited for, and stops at the first tick that finds nothing. */
const MAX_TICK = 1000;

/**
 * Deadlines that all have the same length, so that the one that began first is due first. A timer for each body would
 * cost more than reading it.
 */
export class Deadlines {
  readonly #length: number;
  readonly #tickLength: number;
  readonly #ticks: number;
  #now = 0;
  /** When the timer should have fired, with some grace, in milliseconds since 1970; 0 while it is not set. */
  #tickBy = 0;
  #first: Deadline | undefined;
  #last: Deadline | undefined;

  /** @param length In milliseconds. */
  constructor(length: number) {
    this.#length = length;
    this.#tickLength = Math.min(Math.ceil(length / TICKS), MAX_TICK);
    // One more than fit: the tick that is running when a deadline begins does not count.
    this.#ticks = Math.ceil(length / this.#tickLength) + 1;
  }

  /** Calls `expire`, unless {@link end} comes first. */
  begin(expire: () => void): Deadline {
    if (TIMERS_END_WITH_REQUESTS) {
      return { due: 0, expire, previous: undefined, next: undefined, timer: setTimeout(expire, this.#length) };
    }
    const deadline: Deadline = {
      due: this.#now + this.#ticks,
      expire,
      previous: this.#last,
      next: undefined,
      timer: undefined,
    };
    if (this.#last) this.#last.next = deadline;
    else this.#first = deadline;
    this.#last = deadline;
    // A host that has dropped the timer, as some do with what they put to sleep, must not be waited for in vain.
    if (this.#tickBy < Date.now()) this.#tickLater();
    return deadline;
  }

  /** Forgets a deadline. To do so twice, or after it has expired, does nothing. */
  end(deadline: Deadline): void {
    const { previous, next, timer } = deadline;
    if (timer !== undefined) clearTimeout(timer);
    if (!previous && this.#first !== deadline) return;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    deadline.previous = deadline.next = undefined;
  }

  #tickLater(): void {
    const tickBy = Date.now() + 2 * this.#tickLength + MAX_TICK;
    this.#tickBy = tickBy;
    // A timer that was given up and fires after all must not make time run twice as fast.
    setTimeout(() => this.#tickBy === tickBy && this.#tick(), this.#tickLength);
  }

  #tick(): void {
    this.#now++;
    for (let first = this.#first; first && first.due <= this.#now; first = this.#first) {
      this.end(first);
      first.expire();
    }
    this.#tickBy = 0;
    if (this.#first) this.#tickLater();
  }
}
