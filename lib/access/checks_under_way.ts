/** The key checks that are under way for each name, and the requests that wait for one of them to end. */
export class ChecksUnderWay {
  readonly #byName = new Map<string, { count: number; waiting: (() => void)[] }>();

  count(name: string): number {
    return this.#byName.get(name)?.count ?? 0;
  }

  begin(name: string): void {
    const checks = this.#byName.get(name);
    if (checks) checks.count++;
    else this.#byName.set(name, { count: 1, waiting: [] });
  }

  end(name: string): void {
    this.#byName.get(name)!.count--;
    this.pass(name);
  }

  /** Resolves after a check has ended, or after another request that waited was decided. */
  wait(name: string): Promise<void> {
    return new Promise((resolve) => this.#byName.get(name)!.waiting.push(resolve));
  }

  /** One goes on at a time. Otherwise, with many that wait, the end of each check would cost work for all. */
  pass(name: string): void {
    const checks = this.#byName.get(name);
    const next = checks?.waiting.shift();
    if (next) next();
    else if (checks?.count === 0) this.#byName.delete(name);
  }
}
