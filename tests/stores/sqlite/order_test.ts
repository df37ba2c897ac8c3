/**
 * The order of events around the thread that writes: it starts, answers and ends at any moment, among creates and the end of the
 * store. fast-check's scheduler chooses the order, and a failure shows its seed.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Create } from "../../../lib/stores/sqlite/insert.ts";
import { LocalCommitter, ThreadCommitter } from "../../../lib/stores/sqlite/committer.ts";
import { Writer } from "../../../lib/stores/sqlite/writer.ts";
import {
  decodeBatch,
  encodeReply,
  type Settled,
  type WriterAccess,
  type WriterBatch,
  type WriterPort,
} from "../../../lib/stores/sqlite/writer_messages.ts";
import { StoreUnavailableError } from "../../../mod.ts";
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
}

const SCENARIO: fc.Arbitrary<Scenario> = fc.record({
  creates: fc.integer({ min: 1, max: 8 }),
  starts: fc.array(fc.constantFrom<Start>("runs", "runs", "cannot run", "fails", "ends"), { maxLength: 3 }),
  losses: fc.integer({ min: 0, max: 3 }),
  busy: fc.integer({ min: 0, max: 2 }),
  closes: fc.boolean(),
});

/** A file, and the threads that write to it. */
class World implements WriterAccess {
  readonly stored: string[] = [];
  /** The creates that a thread had not answered when it ended. */
  readonly unsure = new Set<string>();
  /** The thread that runs. */
  thread: { inFlight: Set<string>; onLost(): void } | undefined;
  starts = 0;
  hasRun = false;
  openPorts = 0;
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

  async connect(onLost: () => void): Promise<WriterPort | undefined> {
    assert.ok(!this.isClosed && this.thread === undefined, "a thread is asked for that nobody needs");
    const start = this.#scenario.starts[this.starts++] ?? "runs";
    await this.step(`start: ${start}`);
    if (start === "cannot run") return undefined;
    if (start === "fails") throw new StoreUnavailableError("the file is locked");
    this.hasRun = true;
    this.thread = { inFlight: new Set(), onLost };
    const port = this.#openPort(this.thread);
    if (start === "ends") this.lose();
    return port;
  }

  /** The thread ends, and the store hears of it. */
  lose(): void {
    const { thread } = this;
    if (!thread) return;
    for (const name of thread.inFlight) this.unsure.add(name);
    this.thread = undefined;
    thread.onLost();
  }

  close(): void {
    assert.ok(!this.isClosed);
    this.isClosed = true;
    this.thread = undefined;
  }

  /** On the calling thread. */
  commit(creates: readonly Create[]): boolean {
    assert.ok(!this.hasRun, "the calling thread commits, though a thread has run");
    if (this.#busy-- > 0) return false;
    for (const { row, resolve } of creates) resolve(this.#store(row![0]));
    return true;
  }

  #store(name: string): { outcome: "created"; id: bigint } {
    return { outcome: "created", id: BigInt(this.stored.push(name)) };
  }

  #openPort(thread: NonNullable<World["thread"]>): WriterPort {
    this.openPorts++;
    const port: WriterPort = {
      onmessage: null,
      close: () => this.openPorts--,
      postMessage: async (message) => {
        assert.equal(this.thread, thread, "a batch is sent to a thread that has ended");
        const outcomes: Settled[] = [];
        const creates = decodeBatch(message as WriterBatch, outcomes);
        for (const { row } of creates) thread.inFlight.add(row![0]);
        await this.step("commit");
        if (this.thread !== thread) return;
        for (const { row, resolve } of creates) resolve(this.#store(row![0]));
        await this.step("reply");
        if (this.thread !== thread) return;
        thread.inFlight.clear();
        port.onmessage?.({ data: encodeReply(outcomes) });
      },
    };
    return port;
  }
}

interface Outcome {
  name: string;
  id?: bigint;
  error?: Error;
}

/** Runs a scenario until nothing happens any more. A promise that stays open would end it too, without its outcome. */
async function run(scheduler: fc.Scheduler, scenario: Scenario): Promise<void> {
  const world = new World(scheduler, scenario);
  let commits = 0;
  const onCommitted = () => commits++;
  const writer = new Writer(new ThreadCommitter(world, new LocalCommitter(world, onCommitted), onCommitted));
  const outcomes: Outcome[] = [];
  let isClosed = false;

  const create = async (name: string) => {
    await world.step(`create ${name}`);
    try {
      const { id } = await writer.add({ ...REX, name }) as { id: bigint };
      assert.ok(commits > 0, "a create was acknowledged before its commit was counted");
      outcomes.push({ name, id });
    } catch (error) {
      outcomes.push({ name, error: error as Error });
    }
  };
  const names = Array.from({ length: scenario.creates }, (_, i) => `pet ${i}`);
  for (const name of names) void create(name);
  for (let i = 0; i < scenario.losses; i++) void world.step("loss").then(() => world.lose());
  if (scenario.closes) void world.step("close").then(() => writer.close()).then(() => isClosed = true);
  await scheduler.waitIdle();

  assert.deepEqual(outcomes.map(({ name }) => name).sort(), names, "not every create was settled");
  assert.equal(isClosed, scenario.closes, "the store was not closed");
  assert.equal(world.openPorts, world.thread && !isClosed ? 1 : 0);
  assert.equal(writer.batch.unsettled, 0);
  assertRight(outcomes, world, scenario);
}

function assertRight(outcomes: Outcome[], { stored, unsure, starts }: World, scenario: Scenario): void {
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
    // Only a thread that does not start, and the end of the store, refuse a create.
    if (/closed/.test(error.message)) assert.ok(scenario.closes);
    else assert.ok(scenario.starts.slice(0, starts).some((start) => start !== "runs"), error.message);
  }
  const [first] = scenario.starts;
  // Decided once: the calling thread commits.
  if (first === "cannot run" && starts > 0) assert.deepEqual([starts, unsure.size], [1, 0]);
}

test("whenever the thread that writes starts, answers or ends, each create is settled once and rightly, and the store closes", async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    SCENARIO,
    (scheduler, scenario) => withScheduledTimers(scheduler, () => true, () => run(scheduler, scenario)),
  );
  await fc.assert(property, { numRuns: 3_000 });
});
