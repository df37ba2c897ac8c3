/**
 * One of two programs that share a store of keys, which may be slow, fail or not answer. Time is
 * virtual.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyManager } from "../../lib/access/create_key_manager.ts";
import type { FindingKeyManager, KeyManager } from "../../lib/access/key_manager.ts";
import type { RequestContext } from "../../lib/http/context.ts";
import { isPromise, sleep } from "../../lib/promises.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createMemoryStore } from "../../mod.ts";
import { withQuickDigests } from "./quick_digests.ts";
import { type VirtualClock, withVirtualClock } from "./virtual_clock.ts";

/**
 * As `key_times.ts` has them, in milliseconds: the age of keys that a request uses, and both the
 * time limit of the first read and the time after a failed read in which no request waits.
 */
export const MAX_AGE = 1_000;
export const PATIENCE = 10_000;

export const DOWN = new StoreUnavailableError("The store is down");

/** The wait is in milliseconds, and undefined if the owner of the key was found without a promise. */
type Answer = [verdict: "yes" | "no" | "error", wait?: number];

export class Program {
  readonly now: () => number;
  readonly manager: FindingKeyManager;
  /** The other program. Its manager always reads. */
  readonly other: KeyManager;
  /** The error of each outage that was told, and `undefined` for each end of one. */
  readonly told: unknown[] = [];
  mode: "works" | "slow" | "fails" | "hangs" = "works";
  readMs = 20;
  reads = 0;
  /** How many keys the reads have got. */
  keysRead = 0;

  constructor({ now }: VirtualClock) {
    const { keys } = createMemoryStore();
    const { told } = this;
    const listSince = async (version: string) => {
      this.reads++;
      const snapshot = await keys.listSince!(version);
      if (this.mode === "hangs") await new Promise(() => {});
      await sleep(this.mode === "slow" ? 700 : this.readMs);
      if (this.mode === "fails") throw DOWN;
      this.keysRead += snapshot.keys?.length ?? 0;
      return snapshot;
    };
    const store = { list: () => keys.list(), listSince, add: keys.add.bind(keys), revoke: keys.revoke.bind(keys) };
    const listeners = { onOutage: (error: unknown) => told.push(error), onRecovery: () => told.push(undefined) };
    this.now = now;
    this.manager = createKeyManager(store, listeners) as FindingKeyManager;
    this.other = createKeyManager(keys);
  }

  async ask(key: string): Promise<Answer> {
    const arrivedAt = this.now();
    const owner = this.manager.findKey(key, { arrivedAt } as RequestContext);
    if (!isPromise(owner)) return [owner ? "yes" : "no"];
    const verdict = await owner.then((owner) => owner ? "yes" : "no", () => "error" as const);
    return [verdict, this.now() - arrivedAt];
  }

  /**
   * Sends a request every ten milliseconds. Resolves to the different answers, and the longest
   * wait: -1 if no request got a promise.
   */
  async flood(duration: number, key: string): Promise<[verdicts: string, wait: number]> {
    const asked: Promise<Answer>[] = [];
    for (const end = this.now() + duration; this.now() < end; await sleep(10)) asked.push(this.ask(key));
    const answers = await Promise.all(asked);
    const verdicts = new Set(answers.map(([verdict]) => verdict));
    return [[...verdicts].join(), Math.max(...answers.map(([, wait = -1]) => wait))];
  }
}

export function withProgram(run: (program: Program) => Promise<void>): Promise<void> {
  return withQuickDigests(() =>
    withVirtualClock(async (clock) => {
      await run(new Program(clock));
      await sleep(PATIENCE);
      assert.equal(clock.pending(), 0, "a timer without a request");
    })
  );
}

export function testProgram(title: string, run: (program: Program) => Promise<void>): void {
  test(title, () => withProgram(run));
}
