/** Deno KV in a file, whose calls fail as a seed says. KV over a network needs a service that this project cannot run. */

import fc from "fast-check";
import { join } from "node:path";
import { createKvStore, type KvClient } from "../../../packages/edge/lib/kv/kv_store.ts";
import { withTempFolder } from "../../../tests/support/temp.ts";
import { type Fate, FATES } from "../../../packages/edge/tests/kv_support/scheduled_kv.ts";
import { openTestKv, withCommits } from "../../../packages/edge/tests/kv_support/kv.ts";
import type { Ground } from "./ground.ts";
import { BEYOND_TIMEOUT, TIMEOUT } from "./plan.ts";

export interface KvFault {
  /** How many calls come first, since the fault before. */
  calls: number;
  /** What becomes of the call, or how many milliseconds it begins later. */
  effect: Fate | number;
}

export const KV_FAULT: fc.Arbitrary<KvFault> = fc.record({
  calls: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(12) }),
  effect: fc.constantFrom<KvFault["effect"]>(...FATES, 3, BEYOND_TIMEOUT),
});

export const ON_KV: Ground<KvFault> = {
  name: "Deno KV",
  open: (use) =>
    withTempFolder(async (folder) => {
      const kv = await openTestKv(join(folder, "kv"));
      let number = 0;
      return await use({
        renew: () => Promise.resolve(),
        async use({ pets, servers, faults }, run) {
          const prefix = [`history ${++number}`];
          const sound = createKvStore(kv, { prefix });
          for (const pet of pets) await sound.create(pet);
          const failing = new FailingCalls(faults);
          const client = failing.of(kv);
          const stores = Array.from({ length: servers }, () => createKvStore(client, { prefix, timeoutMs: TIMEOUT }));
          await run(stores, () => failing.recover());
          await Promise.all(stores.map((store) => store.close()));
          await failing.settled();
          const { json } = await sound.list({ after: 0n, limit: 100 });
          return { stored: json === "[]" ? [] : json.slice(1, -1).split(/,(?=\{"id":)/), faults: failing.done };
        },
      }).finally(() => kv.close());
    }),
};

class FailingCalls {
  done = 0;
  readonly #running = new Set<Promise<unknown>>();
  #faults: KvFault[];
  #calls = 0;

  constructor(faults: readonly KvFault[]) {
    this.#faults = [...faults];
  }

  recover(): void {
    this.#faults = [];
  }

  /** A commit that was given up may be applied later. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  of(kv: KvClient): KvClient {
    const call = <T>(work: () => Promise<T>) => this.#call(work, (result) => result);
    return {
      ...withCommits(kv, (commit) => this.#call(commit, () => ({ ok: false }))),
      get: (...args) => call(() => kv.get(...args)),
      getMany: (...args) => call(() => kv.getMany(...args)),
      async *list(...args) {
        yield* await call(() => Array.fromAsync(kv.list(...args)));
      },
    };
  }

  #call<T>(work: () => Promise<T>, overtaken: (result: T) => T): Promise<T> {
    const effect = this.#next();
    const running = (async () => {
      if (typeof effect === "number") await new Promise((resolve) => setTimeout(resolve, effect));
      if (effect === "fails before") throw new Error("The connection was lost");
      const result = await work();
      if (effect === "fails after") throw new Error("The connection was lost");
      return effect === "calls itself overtaken" ? overtaken(result) : result;
    })();
    this.#running.add(running);
    return running;
  }

  #next(): KvFault["effect"] | undefined {
    const [fault] = this.#faults;
    if (!fault || this.#calls++ < fault.calls) return undefined;
    this.#faults.shift();
    this.#calls = 0;
    if (fault.effect !== "done") this.done++;
    return fault.effect;
  }
}
