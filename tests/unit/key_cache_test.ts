/**
 * Which keys a petstore knows while its store is slow, fails, does not answer, or gets keys from
 * another program. Time is virtual.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createKeyManager } from "../../lib/access/create_key_manager.ts";
import type { FindingKeyManager, KeyManager } from "../../lib/access/key_manager.ts";
import type { RequestContext } from "../../lib/http/context.ts";
import { isPromise, sleep } from "../../lib/promises.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createMemoryStore } from "../../mod.ts";
import { withQuickDigests } from "../support/quick_digests.ts";
import { type VirtualClock, withVirtualClock } from "../support/virtual_clock.ts";

/**
 * As `key_times.ts` has them, in milliseconds: the age of keys that a request uses, and both the
 * time limit of the first read and the time after a failed read in which no request waits.
 */
const MAX_AGE = 1_000;
const PATIENCE = 10_000;

const DOWN = new StoreUnavailableError("The store is down");

/** The wait is in milliseconds, and undefined if the owner of the key was found without a promise. */
type Answer = [verdict: "yes" | "no" | "error", wait?: number];

/** One of two programs that share a store. */
class Program {
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

function withProgram(run: (program: Program) => Promise<void>): Promise<void> {
  return withQuickDigests(() =>
    withVirtualClock(async (clock) => {
      await run(new Program(clock));
      await sleep(PATIENCE);
      assert.equal(clock.pending(), 0, "a timer without a request");
    })
  );
}

function testProgram(title: string, run: (program: Program) => Promise<void>): void {
  test(title, () => withProgram(run));
}

type Step = "ask" | "change" | "change here" | Program["mode"] | number;

const ACTS: Step[] = ["ask", "ask", "ask", "change", "change here", "works", "slow", "fails", "hangs"];
const WAITS: Step[] = [10, 100, 550, MAX_AGE + 50, PATIENCE + MAX_AGE];
const STEP = fc.constantFrom(...ACTS, ...WAITS);

/** Takes the steps. Resolves when all requests have been answered as they must. */
async function take(steps: Step[], program: Program): Promise<void> {
  const { manager, other, now, told } = program;
  /** The time since which the store works. */
  let calmSince = now();
  const asked: Promise<void>[] = [];
  const addKey = async () => ({ ...await other.add({ label: "ci" }), at: now(), revokedAt: Infinity, isOver: false });
  let old = await addKey();
  let current = old;
  await manager.check();

  async function ask(key: typeof current): Promise<void> {
    const askedAt = now();
    const { isOver, revokedAt } = key;
    const since = calmSince;
    const [verdict, wait = 0] = await program.ask(key.key);
    assert.ok(verdict !== "error" && wait <= 2 * MAX_AGE + 50, `${verdict} after ${wait} ms`);
    if (isOver) assert.equal(verdict, "no", "a change by this program counts at once");
    if (since !== calmSince || askedAt - since < PATIENCE + MAX_AGE) return;
    if (revokedAt <= askedAt - MAX_AGE) assert.equal(verdict, "no", "a change counts within a second");
    if (key.revokedAt === Infinity && key.at < askedAt) assert.equal(verdict, "yes", "a key is valid at once");
  }

  for (const step of steps) {
    if (typeof step === "number") await sleep(step);
    else if (step === "ask") asked.push(ask(old), ask(current));
    else if (step === "change" || step === "change here") {
      const revoked = old = current;
      if (step === "change") await other.revoke(old.id);
      else manager.revoke(old.id).then(() => revoked.isOver = true, () => {});
      old.revokedAt = now();
      current = await addKey();
    } else {
      program.mode = step;
      calmSince = step !== "works" ? Infinity : Math.min(calmSince, now());
    }
  }
  await Promise.all(asked);
  told.forEach((error, i) => assert.equal(error === undefined, i % 2 === 1, "one report for each outage"));
  assert.equal(told.at(-1), undefined, "the end of the outage");
}

test("whatever happens in whatever order, changes count in time, and no request waits for long", () =>
  fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 30 }), (steps) =>
      // Whatever has happened, a store that works is read again.
      withProgram((program) =>
        take([...steps, "works", PATIENCE + MAX_AGE, "ask", 550, "change", MAX_AGE, "ask"], program)
      )),
    { numRuns: 1_000 },
  ));

testProgram("wrong keys cost the store a read in fifty milliseconds", async (program) => {
  for (const readMs of [0, 20, 90]) {
    await program.manager.check();
    Object.assign(program, { readMs, reads: 0 });
    await sleep(60);
    assert.deepEqual([await program.ask("pk_wrong"), program.reads], [["no", readMs], 1]);
    const [verdicts, wait] = await program.flood(3_000, "pk_wrong");
    assert.ok(
      verdicts === "no" && wait <= 60 + 2 * readMs && program.reads <= 62,
      `${wait} ms, ${program.reads} reads`,
    );
  }
});

testProgram(
  "known keys need no promise, keys that have not changed are not read again, and after a pause a change counts",
  async (program) => {
    const { id, key } = await program.other.add({ label: "ci" });
    await program.ask(key);
    Object.assign(program, { readMs: 400, reads: 0, keysRead: 0 });
    assert.deepEqual(await program.flood(4_000, key), ["yes", -1]);
    assert.deepEqual([program.reads, program.keysRead], [8, 0]);
    await sleep(60_000);
    await program.other.revoke(id);
    assert.equal((await program.ask(key))[0], "no");
  },
);

testProgram("the age of keys counts from the beginning of their read", async (program) => {
  const { id, key } = await program.other.add({ label: "ci" });
  program.readMs = 900;
  const read = program.manager.check();
  await sleep(10);
  await program.other.revoke(id);
  await read;
  await sleep(MAX_AGE - 880);
  assert.equal((await program.ask(key))[0], "no");
});

testProgram("a request waits for a read under way, also if an earlier one has ended", async (program) => {
  await program.manager.check();
  await sleep(60);
  const wrong = program.ask("pk_wrong");
  await sleep(10);
  program.readMs = 300;
  const renewed = program.manager.check();
  await wrong;
  assert.deepEqual(await program.ask("pk_other"), ["no", 590]);
  await renewed;
});

testProgram(
  "a read that fails after a later one has succeeded does not make a request forgo its own read",
  async (program) => {
    await program.manager.check();
    program.mode = "hangs";
    const hung = program.manager.check().catch(() => {});
    await sleep(100);
    program.mode = "works";
    await program.manager.check();
    await sleep(MAX_AGE - 150);
    await program.manager.check();
    // The request begins its read 50 ms after the one above. Meanwhile, the read that hangs reaches its time limit.
    const { key } = await program.other.add({ label: "added" });
    assert.equal((await program.ask(key))[0], "yes");
    await hung;
    assert.deepEqual(program.told, []);
  },
);

testProgram(
  "a change by this program counts at once, also if an earlier read ends later, and began at the same time of a coarse clock",
  async (program) => {
    const { id, key } = await program.manager.add({ label: "ci" });
    await sleep(60);
    program.readMs = 300;
    const wrong = program.ask("pk_wrong");
    // The store carries out the read before the change.
    for (let i = 0; i < 10; i++) await Promise.resolve();
    program.readMs = 20;
    await program.manager.revoke(id);
    await wrong;
    assert.equal((await program.ask(key))[0], "no");
  },
);

for (const mode of ["fails", "hangs"] as const) {
  testProgram(
    `while a store ${mode}, known keys are valid, others are refused at once, and the app is told once`,
    async (program) => {
      const { manager, other, told } = program;
      const { key } = await manager.add({ label: "known" });
      await program.ask(key);
      program.mode = mode;
      const [verdicts, wait] = await program.flood(3_000, key);
      assert.ok(verdicts === "yes" && wait <= MAX_AGE, `${verdicts} ${wait}`);
      program.reads = 0;
      assert.deepEqual(await program.flood(30_000, key), ["yes", -1]);
      // A read that hangs keeps others from beginning until its time limit.
      assert.ok(program.reads <= (mode === "hangs" ? 31 : 61), `${program.reads} reads`);
      const added = await other.add({ label: "added" });
      assert.deepEqual([await program.ask(added.key), told.length], [["no", 0], 1]);
      program.mode = "works";
      await program.flood(MAX_AGE + 100, key);
      assert.deepEqual([(await program.ask(added.key))[0], told.slice(1)], ["yes", [undefined]]);
      // Keys that are read after the time limit count too.
      program.readMs = 3_000;
      await other.revoke(added.id);
      await program.flood(4_500, key);
      assert.deepEqual([(await program.ask(added.key))[0], told.length], ["no", 3]);
    },
  );
}

testProgram(
  "before the first success, requests share a read, fail with its error, and the app is told nothing",
  async (program) => {
    const { manager, other, told } = program;
    const { key } = await other.add({ label: "ci" });
    program.mode = "fails";
    assert.deepEqual(await program.flood(1_000, key), ["error", 50]);
    await assert.rejects(manager.check(), DOWN);
    Object.assign(program, { mode: "hangs", reads: 0 });
    await sleep(MAX_AGE);
    assert.deepEqual([await program.flood(1_000, key), program.reads], [["error", PATIENCE], 1]);
    Object.assign(program, { mode: "works", readMs: PATIENCE - 100 });
    assert.deepEqual([await program.ask(key), told], [["yes", PATIENCE - 100], []]);
  },
);
