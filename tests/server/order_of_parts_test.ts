/** What the parts of a server tell each other, and in which order: a worker and the main isolate, a group of them, and a whole start and end. */

import assert from "node:assert/strict";
import { type GroupMember, WorkerGroup } from "../../lib/server/deno/worker_group.ts";
import { WorkerHandle } from "../../lib/server/deno/worker_handle.ts";
import type { WorkerStart } from "../../lib/server/deno/worker_messages.ts";
import { readArguments } from "../../lib/server/commands/command_line.ts";
import { SERVE } from "../../lib/server/commands/serve.ts";
import { SettingError, UnreachableError } from "../../lib/server/process/start_error.ts";
import { createWriters, writeAll } from "../../lib/server/process/writers.ts";
import type { Runtime, Server } from "../../lib/server/serving/runtime.ts";
import { serve } from "../../lib/server/serving/serve.ts";
import { readSettings } from "../../lib/server/settings/server_settings.ts";
import { type PetStore, StoreUnavailableError } from "../../lib/stores/store.ts";
import { sinksTo, test } from "../support/server/in_process.ts";

/** A worker that answers each step as a test expects it, and beats once for each "hold". */
const STAND_IN = `import { workerData } from "node:worker_threads";
  const { channel } = workerData;
  channel.onmessage = ({ data: { step, timeoutMs } }) => {
    if (step === "hold") channel.postMessage({ kind: "beat", samples: { beats: timeoutMs } });
    if (step === "start") channel.postMessage({ kind: "lines", stream: "errors", lines: "a\\nb" });
    const isTemporary = step === "close" ? true : step === "stop" ? false : undefined;
    const failure = isTemporary === undefined ? undefined : { message: "cannot " + step, isTemporary };
    if (step !== "end") channel.postMessage({ kind: "done", step, failure });
    else channel.postMessage({ kind: "died", reason: "told to" });
  };`;

test("each message of a worker has its effect: lines, counts, failures and their exit status, a beat, a death", async () => {
  const lines: string[] = [], changes: boolean[] = [];
  const writers = createWriters(() => () => Promise.resolve());
  writers.errors.add = (line) => lines.push(line);
  const program = new URL(`data:text/javascript,${encodeURIComponent(STAND_IN)}`);
  const worker = new WorkerHandle(program, {} as Omit<WorkerStart, "channel" | "writer">, writers, undefined);
  await worker.perform("start");
  assert.deepEqual(lines, ["a\nb"]);
  const { setInterval } = globalThis;
  let miss = () => {};
  globalThis.setInterval = ((run: () => void) => void (miss = run)) as unknown as typeof setInterval;
  worker.watch((isUnresponsive) => changes.push(isUnresponsive));
  globalThis.setInterval = setInterval;
  for (let round = 1; round <= 2; round++) {
    for (let i = 0; i < 10; i++) miss();
    assert.equal(worker.isUnresponsive, false);
    for (let i = 0; i < 5; i++) miss();
    await worker.perform("hold", round);
    assert.deepEqual([worker.isUnresponsive, worker.samples], [true, { beats: round }]);
    miss();
    assert.deepEqual([worker.isUnresponsive, changes.length], [false, 2 * round]);
    // The beat of this round came with a miss.
    await worker.perform("hold", round);
  }
  await assert.rejects(worker.perform("close"), (error) => error instanceof UnreachableError);
  await assert.rejects(
    worker.perform("stop"),
    (error) => error instanceof SettingError && !(error instanceof UnreachableError) && error.message === "cannot stop",
  );
  await assert.rejects(worker.perform("end"), { message: "A worker died: told to" });
  assert.equal(await worker.died, "told to");
});

test("a group counts those that respond as serving, and closes all sockets before any worker ends", async () => {
  const happened: string[] = [];
  const group = new WorkerGroup(2, (line) => happened.push(line));
  const changes: ((isUnresponsive: boolean) => void)[] = [];
  let missing = new Int32Array(1);
  await group.start((shared) => {
    missing = shared as typeof missing;
    const member: GroupMember = {
      died: new Promise(() => {}),
      isUnresponsive: false,
      samples: {},
      perform: async (step) => {
        await Promise.resolve();
        happened.push(step);
      },
      watch: (onChange) => void changes.push((isUnresponsive) => onChange(member.isUnresponsive = isUnresponsive)),
      terminate: () => {},
    };
    return member;
  });
  for (const isUnresponsive of [true, false]) {
    changes[1]!(isUnresponsive);
    assert.equal(Atomics.load(missing, 0), Number(isUnresponsive));
  }
  await group.close();
  await group.hold();
  await group.end(0);
  const ofEach = (...steps: string[]) => steps.flatMap((step) => [step, step]);
  const told = ["a worker does not respond", "a worker responds again"];
  assert.deepEqual(happened, [...ofEach("start"), ...told, ...ofEach("close", "hold", "stop", "end")]);
});

test.inFolder("a server has its port before it opens the store, drains before it holds, and closes the store after the last step", async () => {
  const steps: unknown[] = [], written = { stdout: "", stderr: "" };
  let store: PetStore | undefined;
  const step = async (name: string, timeoutMs?: number) => {
    // A store that is closed throws.
    if (store) await store.list({ after: 0n, limit: 1 });
    steps.push(timeoutMs === undefined ? name : [name, timeoutMs > 0 && timeoutMs <= 7_500]);
  };
  const server: Server = {
    async start(open) {
      await step("listen");
      ({ store } = await open());
      await step("start");
      return 1;
    },
    ...{ close: () => step("close"), hold: () => step("hold"), end: (timeoutMs) => step("end", timeoutMs) },
    readMetrics: () => [],
  };
  const runtime = { ...{ environment: () => undefined, listVariables: () => [], holdTime: 0 }, postgresDriver: "" };
  const args = readArguments("serve", SERVE, ["--workers=2", "--store=sqlite:pets.db", "--key=k"], () => undefined);
  const sinks = sinksTo(written), writers = createWriters((stream) => (bytes) => writeAll(sinks[stream], bytes));
  const parts = {
    listen: () => assert.fail(),
    createWorkerPool: () => server,
    ending: () => Promise.resolve(),
    sinks,
  };
  await serve(readSettings(args), writers, { ...runtime, ...parts } as Runtime);
  assert.deepEqual(steps, ["listen", "start", "close", "hold", ["end", true]]);
  await assert.rejects(async () => await store!.list({ after: 0n, limit: 1 }), StoreUnavailableError);
});
