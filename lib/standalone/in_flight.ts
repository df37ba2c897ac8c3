/** Which requests have begun and are not answered yet. */

/** Requests that began before the same look at them. */
interface Group {
  count: number;
  whenNone?: () => void;
}

/** Counts requests. */
export class InFlight {
  #current: Group = { count: 0 };

  /** Counts a request, and gives what ends it. */
  begin(): () => void {
    const group = this.#current;
    group.count++;
    return () => {
      if (--group.count === 0) group.whenNone?.();
    };
  }

  /** Resolves when every request that has begun by now has been answered, however many begin in the meantime. */
  settled(): Promise<void> {
    const group = this.#current;
    this.#current = { count: 0 };
    return group.count === 0 ? Promise.resolve() : new Promise((resolve) => group.whenNone = resolve);
  }
}
