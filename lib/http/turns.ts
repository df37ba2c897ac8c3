/** Divides long work into parts, so that other requests need not wait for all of it. */

import { TIMERS_END_WITH_REQUESTS } from "./deadlines.ts";

/** When an overdue timer counts as lost, in milliseconds. Some hosts drop the timers of an isolate that they suspend. */
const OVERDUE = 1000;

/** Lets one waiting task continue in each turn of the event loop, in order of arrival. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  /** If the timer has not fired by then, in milliseconds since 1970, it is lost. 0 while no timer is set. */
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
