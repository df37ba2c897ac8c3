/**
 * The order of events around the thread that writes: it starts, answers and ends at any moment, among creates, on a
 * disk that becomes slow and fast again, until the end of the store. fast-check's scheduler chooses the order, and a failure shows its seed.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DURATION_DECAY, Writer } from "../../../lib/stores/sqlite/writer.ts";
import type { CommitThread } from "../../../lib/stores/sqlite/writing_thread.ts";
import { failureOf, type StoreEnd } from "../../../lib/stores/sqlite/writing_thread_messages.ts";
import { createdId, type Outcome, type Write } from "../../../lib/stores/write.ts";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { withScheduledTimers } from "../../support/scheduled_timers.ts";
import { REX } from "./support.ts";

/** What becomes of the starts of threads, in this order; later ones succeed. */
type Start = "runs" | "cannot run" | "fails" | "ends";

interface Scenario {
  creates: number;
  starts: Start[];
  losses: number;
  /** How often a commit on the calling thread does not get the lock. */
  busy: number;
  closes: boolean;
  /** How often a fast disk becomes slow, or a slow one fast. */
  changes: number;
  /** Whether a commit would have to write a long log back first. */
  isLogLong: boolean;
}

/** Shorter commits are made on the calling thread, if a create is alone. On the slow disk, each takes longer. In milliseconds. */
const SHORT = 2, SLOW = 5;

const SCENARIO: fc.Arbitrary<Scenario> = fc.record({
  creates: fc.integer({ min: 1, max: 8 }),
  starts: fc.array(fc.constantFrom<Start>("runs", "runs", "cannot run", "fails", "ends"), { maxLength: 3 }),
  losses: fc.integer({ min: 0, max: 3 }),
  busy: fc.integer({ min: 0, max: 2 }),
  closes: fc.boolean(),
  changes: fc.integer({ min: 0, max: 4 }),
  isLogLong: fc.boolean(),
});

/** A file, and the threads that write to it. */
class World implements CommitThread {
  readonly stored: string[] = [];
  /** The creates that a thread got and did not answer. */
  readonly unsure = new Set<string>();
  /** The thread that runs. */
  thread: { port: Port; hasGreeted: boolean } | undefined;
  starts = 0;
  /** How many threads ended before the store heard of their start. */
  lostStarts = 0;
  /** Whether a start has shown that no thread can run. */
  cannotRun = false;
  openPorts = 0;
  isSlow = false;
  /** The time as in `performance.now()`. Only commits take time. */
  clock = 0;
  longest = 0;
  isClosed = false;
  readonly #scheduler: fc.Scheduler;
  readonly #scenario: Scenario;
  #busy: number;

  constructor(scheduler: fc.Scheduler, scenario: Scenario) {
    this.#scheduler = scheduler;
    this.#scenario = scenario;
    this.#busy = scenario.busy;
  }

  async step(what: string): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve(), what);
  }

  connect(): StoreEnd | undefined {
    const isNeeded = !this.isClosed && this.thread === undefined && !this.cannotRun;
    assert.ok(isNeeded, "a thread is asked for that nobody needs");
    const start = this.#scenario.starts[this.starts++] ?? "runs";
    this.cannotRun = start === "cannot run";
    if (this.cannotRun) return undefined;
    const port = new Port(this);
    this.thread = { port, hasGreeted: false };
    void this.step(`start: ${start}`).then(() => this.#greet(start, port));
    return port;
  }

  #greet(start: Start, port: Port): void {
    if (this.thread?.port !== port) return;
    if (start === "ends") return this.lose();
    this.thread.hasGreeted = true;
    if (start === "fails") this.thread = undefined;
    const error = new StoreUnavailableError("the file is locked");
    port.onmessage?.({ data: start === "runs" ? { kind: "ready" } : failureOf(error) });
  }

  /** The thread ends, and the store hears of it. */
  lose(): void {
    const { thread } = this;
    if (thread && !thread.hasGreeted) this.lostStarts++;
    this.thread = undefined;
    void this.step("the loss is heard").then(() => thread?.port.onClosed());
  }

  close(): Promise<void> {
    assert.ok(!this.isClosed);
    this.isClosed = true;
    this.thread = undefined;
    return Promise.resolve();
  }

  /** Commits on the calling thread. */
  commit(writes: readonly Write[]): Outcome[] {
    assert.ok(this.cannotRun || this.isShort(writes), "the calling thread commits what a thread should");
    if (this.#busy-- > 0) {
      this.noteDuration(0);
      throw new Error("database is locked");
    }
    const { outcomes, milliseconds } = this.store(writes);
    this.noteDuration(milliseconds);
    return outcomes;
  }

  noteDuration(milliseconds: number): void {
    this.longest = Math.max(milliseconds, DURATION_DECAY * this.longest);
  }

  isShort(writes: readonly Write[]): boolean {
    return writes.length === 1 && this.longest < SHORT && !this.#scenario.isLogLong;
  }

  store(writes: readonly Write[]): { outcomes: Outcome[]; milliseconds: number } {
    const milliseconds = this.isSlow ? SLOW : 0;
    this.clock += milliseconds;
    return {
      outcomes: writes.map((write) => ({ outcome: "created", id: BigInt(this.stored.push(nameOf(write))) })),
      milliseconds,
    };
  }
}

/** The store's end of a port. */
class Port implements StoreEnd {
  onmessage: StoreEnd["onmessage"] = null;
  onClosed = (): void => {};
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    world.openPorts++;
  }

  addEventListener(_event: "close", listener: () => void): void {
    let isOpen = true;
    this.onClosed = () => {
      if (isOpen) this.#world.openPorts--;
      isOpen = false;
      listener();
    };
  }

  close(): void {
    void this.#world.step("port closed").then(this.onClosed);
  }

  async postMessage(writes: readonly Write[]): Promise<void> {
    const world = this.#world;
    assert.ok(!world.isShort(writes), "a thread commits what the calling thread should");
    const names = writes.map(nameOf);
    for (const name of names) world.unsure.add(name);
    await world.step("commit");
    if (world.thread?.port !== this) return;
    const stored = world.store(writes);
    // The way back takes long, and says nothing about the disk.
    world.clock += SLOW;
    await world.step("reply");
    if (world.thread?.port !== this) return;
    for (const name of names) world.unsure.delete(name);
    world.noteDuration(stored.milliseconds);
    this.onmessage?.({ data: { kind: "outcomes", ...stored } });
  }
}

function nameOf(write: Write): string {
  assert.equal(write.kind, "create");
  return write.kind === "create" ? write.pet.name : "";
}

/** What became of a create. */
interface Result {
  name: string;
  id?: bigint;
  error?: Error;
}

/** Runs a scenario until nothing happens any more. A promise that stays open would end it too, without its outcome. */
async function run(scheduler: fc.Scheduler, scenario: Scenario): Promise<void> {
  const world = new World(scheduler, scenario);
  const writer = new Writer({
    transactions: world,
    thread: world,
    shortCommitMs: SHORT,
    isLogLong: () => scenario.isLogLong,
  });
  Object.defineProperty(performance, "now", { value: () => world.clock, configurable: true });
  const outcomes: Result[] = [];
  let isClosed = false;

  const create = async (name: string) => {
    await world.step(`create ${name}`);
    try {
      const id = createdId(await writer.write({ kind: "create", pet: { ...REX, name } }));
      outcomes.push({ name, id });
    } catch (error) {
      outcomes.push({ name, error: error as Error });
    }
  };
  const names = Array.from({ length: scenario.creates }, (_, i) => `pet ${i}`);
  for (const name of names) void create(name);
  for (let i = 0; i < scenario.losses; i++) void world.step("loss").then(() => world.lose());
  for (let i = 0; i < scenario.changes; i++) void world.step("the disk").then(() => world.isSlow = !world.isSlow);
  if (scenario.closes) void world.step("close").then(() => writer.close()).then(() => isClosed = true);
  await scheduler.waitIdle();
  Reflect.deleteProperty(performance, "now");

  assert.deepEqual(outcomes.map(({ name }) => name).sort(), names, "not every create was settled");
  assert.equal(isClosed, scenario.closes, "the store was not closed");
  assert.equal(world.openPorts, world.thread && !isClosed ? 1 : 0);
  assert.equal(writer.batch.unsettled, 0);
  assertRight(outcomes, world, scenario);
}

function assertRight(outcomes: Result[], world: World, scenario: Scenario): void {
  const { stored, unsure, starts } = world;
  assert.equal(new Set(stored).size, stored.length, "a pet was stored twice");
  for (const { name, id, error } of outcomes) {
    if (id !== undefined) {
      assert.equal(stored[Number(id) - 1], name);
      continue;
    }
    assert.ok(error instanceof StoreUnavailableError, String(error));
    if (/may have been stored/.test(error.message)) {
      assert.ok(unsure.has(name), `${name} was not lost`);
      continue;
    }
    assert.ok(!stored.includes(name), `${name} was refused, but stored`);
    // Only a thread that does not start, two that end as they start, and the end of the store refuse a create.
    if (/closed/.test(error.message)) assert.ok(scenario.closes);
    else {
      const isRight = world.lostStarts >= 2 || scenario.starts.slice(0, starts).some((start) => start !== "runs");
      assert.ok(isRight, error.message);
    }
  }
}

test("whenever the thread that writes starts, answers or ends, each create is settled once and rightly, and the store closes", async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    SCENARIO,
    (scheduler, scenario) => withScheduledTimers(scheduler, () => true, () => run(scheduler, scenario)),
  );
  await fc.assert(property, { numRuns: 3_000 });
});
