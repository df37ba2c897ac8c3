/** By name, with the requests that wait for one to end. */
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

  /** For the end of a check, or of another wait. */
  wait(name: string): Promise<void> {
    return new Promise((resolve) => this.#byName.get(name)!.waiting.push(resolve));
  }

  /** One goes on at a time: the end of a check must not cost work for all that wait. */
  pass(name: string): void {
    const checks = this.#byName.get(name);
    const next = checks?.waiting.shift();
    if (next) next();
    else if (checks?.count === 0) this.#byName.delete(name);
  }
}
