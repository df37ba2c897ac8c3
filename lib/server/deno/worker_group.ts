/** The workers of a server: started, replaced when they die, and ended. */

import type { Report } from "../http/listener.ts";
import { addSamples, type Samples, withoutGauges } from "../telemetry/samples.ts";
import { firstLine } from "../process/start_error.ts";
import { resolvesWithin } from "../../waiting.ts";
import type { StepMessage } from "./worker_messages.ts";
import type { WorkerHandle } from "./worker_handle.ts";

/** The first and the longest pause before a worker is replaced, in milliseconds. It grows if workers die early. */
const FIRST_PAUSE = 100, LONGEST_PAUSE = 10_000;

/** The time limit of a shutdown step that waits for no client, in milliseconds. An unresponsive worker performs none. */
const STEP_TIMEOUT = 1_000;

/** A worker, as its group sees it. */
export type GroupMember = Pick<WorkerHandle, "died" | "perform" | "watch" | "terminate" | "isUnresponsive" | "samples">;

/**
 * Makes a worker, which does not serve yet.
 *
 * @param missing Has the number of missing workers, on which the readiness of each depends.
 */
type Spawn = (missing: Int32Array) => GroupMember;

export class WorkerGroup {
  readonly #missing = new Int32Array(new SharedArrayBuffer(4));
  readonly #size: number;
  readonly #report: Report;
  /** All living workers, whether they serve yet or not. */
  readonly #workers = new Set<GroupMember>();
  readonly #serving = new Set<GroupMember>();
  /** The counts of workers that have died. Counters must not decrease. */
  #retiredSamples: Samples = {};
  #pause = FIRST_PAUSE;
  #isEnding = false;

  constructor(size: number, report: Report) {
    this.#size = size;
    this.#report = report;
    this.#updateMissing();
  }

  /**
   * Resolves when all workers serve.
   *
   * @throws {SettingError} If one cannot serve, or dies.
   */
  async start(spawn: Spawn): Promise<void> {
    await Promise.all(Array.from({ length: this.#size }, () => this.#startWorker(spawn)));
  }

  readMetrics(): Samples[] {
    return [this.#retiredSamples, ...Array.from(this.#serving, ({ samples = {} }) => samples)];
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    await this.#performAll("close");
  }

  async hold(): Promise<void> {
    await resolvesWithin(STEP_TIMEOUT, this.#performAll("hold"));
  }

  async end(timeoutMs: number): Promise<void> {
    this.#isEnding = true;
    // All sockets first. A client that one worker turns away could otherwise wait at the socket of another, which closes.
    await resolvesWithin(STEP_TIMEOUT, this.#performAll("stop"));
    await resolvesWithin(Math.max(timeoutMs, 0) + STEP_TIMEOUT, this.#performAll("end", timeoutMs));
    for (const worker of this.#workers) worker.terminate();
  }

  /** Ignores workers that die in the meantime. */
  async #performAll(step: StepMessage["step"], timeoutMs?: number): Promise<void> {
    await Promise.all(Array.from(this.#workers, (worker) => worker.perform(step, timeoutMs).catch(() => {})));
  }

  async #startWorker(spawn: Spawn): Promise<void> {
    const worker = spawn(this.#missing);
    this.#workers.add(worker);
    worker.died.then(() => this.#workers.delete(worker));
    try {
      await worker.perform("start");
    } catch (error) {
      worker.terminate();
      throw error;
    }
    this.#serving.add(worker);
    this.#updateMissing();
    const startedAt = performance.now();
    worker.watch((isUnresponsive) => {
      this.#updateMissing();
      this.#report(`a worker ${isUnresponsive ? "does not respond" : "responds again"}`);
    });
    worker.died.then((reason) => {
      this.#serving.delete(worker);
      this.#retiredSamples = addSamples([this.#retiredSamples, withoutGauges(worker.samples ?? {})]);
      this.#updateMissing();
      if (this.#isEnding) return;
      this.#report(`a worker died and is replaced: ${reason.replaceAll(/\n\s*/g, " ")}`);
      if (performance.now() - startedAt > LONGEST_PAUSE) this.#pause = FIRST_PAUSE;
      this.#replace(spawn);
    });
  }

  #updateMissing(): void {
    const responding = Array.from(this.#serving).filter(({ isUnresponsive }) => !isUnresponsive).length;
    Atomics.store(this.#missing, 0, this.#size - responding);
  }

  /** Waits longer each time, because the next worker may die of the same cause. */
  #replace(spawn: Spawn): void {
    setTimeout(async () => {
      if (this.#isEnding) return;
      try {
        await this.#startWorker(spawn);
      } catch (error) {
        if (this.#isEnding) return;
        this.#report(`a worker cannot be replaced at the moment: ${firstLine(error)}`);
        this.#replace(spawn);
      }
    }, this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }
}
