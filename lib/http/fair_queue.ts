/** Divides long work into parts, so that other requests need not wait for all of it. */

import { Alarm, TIMERS_END_WITH_REQUESTS } from "./deadlines.ts";

/** Lets one waiting task continue in each turn of the event loop, in order of arrival. */
export class FairQueue {
  readonly #waiting: (() => void)[] = [];
  readonly #alarm = new Alarm(0, () => this.#call());

  /** Resolves when it is the caller's turn. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      if (TIMERS_END_WITH_REQUESTS) return void setTimeout(resolve, 0);
      this.#waiting.push(resolve);
      this.#alarm.set();
    });
  }

  #call(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#alarm.set();
  }
}
