/** Work that is cut up, so that whoever is served at once waits for one part of it and not for all. */

import { TIMERS_END_WITH_REQUESTS } from "./deadlines.ts";

/** After so many milliseconds, a timer that has not fired never will: some hosts drop those of what they put to sleep. */
const OVERDUE = 1000;

/** Lets one of those who wait go on in each turn of the event loop, in the order in which they came. */
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
