/** Long work in parts, so that other requests wait for one part and not for all. */

import { TIMERS_END_WITH_REQUESTS } from "./deadlines.ts";

/** After this many milliseconds, an overdue timer is taken for lost: some hosts drop the timers of a sleeping isolate. */
const OVERDUE = 1000;

/** Lets one waiting task go on in each turn of the event loop, in order of arrival. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  /** When the timer should have fired, in milliseconds since 1970; 0 while it is not set. */
  #callBy = 0;

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (TIMERS_END_WITH_REQUESTS) return void setTimeout(resolve, 0);
      this.#waiting.push(resolve);
      if (this.#callBy < Date.now()) this.#callLater();
    });
  }

  #callLater(): void {
    this.#callBy = Date.now() + OVERDUE;
    setTimeout(() => this.#call(), 0);
  }

  #call(): void {
    this.#callBy = 0;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#callLater();
  }
}
