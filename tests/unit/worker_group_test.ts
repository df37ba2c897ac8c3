/**
 * The order of events among the workers of a server: they start, die and end at any moment. fast-check's
 * scheduler chooses the order, and a failure shows its seed. tests/faults/workers_test.ts has real workers.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type GroupMember, WorkerGroup } from "../../lib/server/deno/worker_group.ts";
import type { StepMessage } from "../../lib/server/deno/worker_messages.ts";
import { addSamples } from "../../lib/server/telemetry/samples.ts";
import { UnreachableError } from "../../lib/server/process/start_error.ts";
import { withScheduledTimers } from "../support/scheduled_timers.ts";

interface Scenario {
  size: number;
  /** Whether each start of a worker succeeds, in this order; later ones do. */
  starts: ("serves" | "fails" | "dies")[];
  deaths: number;
  ends: boolean;
}

const SCENARIO: fc.Arbitrary<Scenario> = fc.record({
  size: fc.integer({ min: 1, max: 3 }),
  starts: fc.array(fc.constantFrom("serves", "serves", "serves", "fails", "dies"), { maxLength: 6 }),
  deaths: fc.integer({ min: 0, max: 4 }),
  ends: fc.boolean(),
});

/** A worker that performs a step whenever the scheduler says so. */
class Member implements GroupMember {
  readonly died: Promise<string>;
  readonly steps: StepMessage["step"][] = [];
  isUnresponsive = false;
  samples = { petstore_store_errors_total: 1, petstore_creates_waiting: 1 };
  isAlive = true;
  readonly #die: (reason: string) => void;
  readonly #scheduler: fc.Scheduler;
  readonly #start: Scenario["starts"][number];

  constructor(scheduler: fc.Scheduler, start: Scenario["starts"][number]) {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.died = promise;
    this.#die = resolve;
    this.#scheduler = scheduler;
    this.#start = start;
  }

  async perform(step: StepMessage["step"]): Promise<void> {
    const died = this.died.then(() => {
      throw new UnreachableError("A worker died");
    });
    await Promise.race([this.#scheduler.schedule(this.#perform(step), step), died]);
  }

  async #perform(step: StepMessage["step"]): Promise<void> {
    assert.ok(!this.steps.includes(step), `${step} twice`);
    this.steps.push(step);
    await Promise.resolve();
    if (step !== "start") return;
    if (this.#start === "fails") throw new UnreachableError("the file is gone");
    if (this.#start === "dies") this.terminate();
  }

  watch(): void {}

  terminate(): void {
    this.isAlive = false;
    this.#die("it was told to");
  }
}

/** Runs a scenario until nothing happens any more. A promise that stays open would end it too, without its outcome. */
async function run(scheduler: fc.Scheduler, { size, starts, deaths, ends }: Scenario): Promise<void> {
  const members: Member[] = [];
  const lines: string[] = [];
  let missing: Int32Array = new Int32Array();
  const group = new WorkerGroup(size, (line) => lines.push(line));
  const spawn = (shared: Int32Array) => {
    missing = shared;
    const member = new Member(scheduler, starts[members.length] ?? "serves");
    members.push(member);
    return member;
  };
  const alive = () => members.filter(({ isAlive }) => isAlive);
  let outcome: "started" | "failed" | "ended" | undefined;

  const live = async () => {
    try {
      await group.start(spawn);
      outcome = "started";
      if (ends) {
        await scheduler.schedule(Promise.resolve(), "signal").then(() => group.close()).then(() => group.hold());
      }
    } catch {
      outcome = "failed";
    }
    if (outcome === "started" && !ends) return;
    await group.end(0);
    if (outcome === "started") outcome = "ended";
  };
  void live();
  for (let i = 0; i < deaths; i++) {
    void scheduler.schedule(Promise.resolve(), "death").then(() => alive()[0]?.terminate());
  }
  await scheduler.waitIdle();

  assert.ok(outcome, "the server hangs");
  const died = lines.filter((line) => line.includes("died and is replaced")).length;
  if (outcome === "started") {
    assert.equal(alive().length, size, "not every worker was replaced");
    assert.equal(Atomics.load(missing, 0), 0);
    assert.deepEqual(alive().map(({ steps }) => steps), Array(size).fill(["start"]));
    assert.ok(died <= deaths);
    // The counts of a worker that has served stay when it dies.
    const sum = addSamples(group.readMetrics());
    assert.deepEqual(sum, { petstore_store_errors_total: size + died, petstore_creates_waiting: size });
  } else {
    assert.equal(alive().length, 0, "a worker was left running");
    assert.equal(Atomics.load(missing, 0), size);
  }
  if (outcome === "failed") assert.ok(deaths > 0 || starts.slice(0, size).some((start) => start !== "serves"));
}

test("whenever workers start, die or end, those that are missing are replaced, and none is left at the end", async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    SCENARIO,
    (scheduler, scenario) => withScheduledTimers(scheduler, () => true, () => run(scheduler, scenario)),
  );
  await fc.assert(property, { numRuns: 3_000 });
});
