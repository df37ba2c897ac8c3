/**
 * What a kill or a loss of power leaves of servers and commands, at each sync and each
 * acknowledgement. See docs/reliability.md.
 */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";
import { inFolder, withServerHere } from "../../support/server/in_process.ts";
import { readKey, walk } from "../../support/server/server_process.ts";
import { Disk, Files, readDigests } from "./disk.ts";
import { RECORDER_SKIP, Recording, type Step } from "./trace.ts";
import { createPet, type Expected, SERVE, Stage, WORKLOADS } from "./workloads.ts";

const test = testUnless(RECORDER_SKIP);

/** Records a workload, and checks what a loss of power may leave of it after `plant` has changed its steps. */
function checkWorkload(
  name: string,
  runtime: "deno" | "node",
  plant: (steps: readonly Step[]) => readonly Step[] = (steps) => steps,
): Promise<Checked> {
  return withTempFolder(async (place) => {
    const folder = join(place, "recorded");
    mkdirSync(folder);
    const recording = new Recording(folder, place), stage = new Stage(folder, runtime === "node", recording);
    await WORKLOADS[name]!(stage);
    const steps = recording.read();
    assertComplete(steps, folder);
    return await checkSteps(plant(steps), stage.expected);
  });
}

/** Fails if the recorder has missed a step: all of them together must lead to the files that the programs have left. */
function assertComplete(steps: readonly Step[], folder: string): void {
  const files = new Files();
  for (const step of steps) if (step.kind === "change") files.apply(step.change);
  assert.deepEqual(files.digests, readDigests(folder));
}

const RUNS: [workload: string, runtime: "deno" | "node"][] = Object.keys(WORKLOADS).map((name) => [name, "deno"]);
// Node has its own calls of the system for a key file, a folder and a database.
RUNS.push(["first start", "node"]);

for (const [name, runtime] of RUNS) {
  test(`a kill or a loss of power takes back nothing that was shown: ${name} on ${runtime}`, async () => {
    const { fault, states } = await checkWorkload(name, runtime);
    assert.equal(fault, undefined);
    assert.ok(states > 10, `only ${states} states`);
  });
}

/** Changes the steps as if each response left before the sync of its commit. */
function withEarlyResponses(steps: readonly Step[]): Step[] {
  const moved = [...steps];
  for (const [i, step] of steps.entries()) {
    if (step.kind !== "shown" || !step.text.startsWith("HTTP/1.1 201")) continue;
    moved.splice(i, 1);
    moved.splice(steps.slice(0, i).findLastIndex(({ kind }) => kind === "sync"), 0, step);
  }
  return moved;
}

test("the replay finds a response that leaves before its commit", async () => {
  const { fault } = await checkWorkload("creates", "deno", withEarlyResponses);
  assert.match(fault ?? "nothing was found", /is not stored/);
});

interface Checked {
  states: number;
  /** The first broken promise, and what was lost. */
  fault?: string;
}

/** Checks the states at each sync and after each text that was shown, until one is wrong. */
async function checkSteps(steps: readonly Step[], expected: readonly Expected[]): Promise<Checked> {
  const disk = new Disk(), promises = new Promises(expected), seen = new Set<string>();
  for (const [i, step] of steps.entries()) {
    if (step.kind === "change") disk.change(step.change);
    if (step.kind === "sync") disk.sync(step.place);
    promises.add(step);
    const next = steps[i + 1];
    if (step.kind !== "shown" && next !== undefined && next.kind !== "sync") continue;
    for (const { files, lost } of disk.states()) {
      const state = [promises.key, ...files.digests].join("\n");
      if (seen.has(state)) continue;
      seen.add(state);
      try {
        await inFolder(async (folder) => {
          files.write(folder);
          await promises.check();
        });
      } catch (error) {
        const texts = steps.filter((each) => each.kind === "change" && lost.includes(each.change));
        const without = texts.map(({ text }) => text).join(", ");
        return { states: seen.size, fault: `After ${step.text}, without ${without}: ${error}` };
      }
    }
  }
  return { states: seen.size };
}

/** A pet, wherever it is shown. */
const PET = /\{"id":\d+,"name":"([^"]*)","categoryId":\d+,"status":"\w+"\}/g;

/** What has been promised up to a step. */
class Promises {
  readonly #all: readonly Expected[];
  #number = 0;
  /** The texts of the pets in responses, by the names, which differ. */
  readonly #pets = new Map<string, string>();
  /** The key that the first start has shown. */
  #key: string | undefined;

  /** @param all What each number stands for that a workload may note. */
  constructor(all: readonly Expected[]) {
    this.#all = all;
  }

  /** Equal for equal promises. */
  get key(): string {
    return JSON.stringify([this.#number, ...this.#pets, this.#key]);
  }

  add(step: Step): void {
    if (step.kind === "note") {
      this.#number = step.number;
      if (this.#all[step.number]!.forgets) this.#pets.clear();
    }
    if (step.kind === "shown") {
      for (const [pet, name] of step.text.matchAll(PET)) this.#pets.set(name!, pet);
      this.#key ??= /(petstore_\w+) \(new, kept/.exec(step.text)?.[1];
    }
  }

  /** Checks the files of the present folder. */
  async check(): Promise<void> {
    const { creates, prepare, check } = this.#all[this.#number]!;
    await prepare?.();
    await withServerHere({ args: SERVE }, async (server) => {
      const key = this.#key ?? readKey(".");
      const stored = await walk(key, server), texts = stored.map((pet) => JSON.stringify(pet));
      for (const pet of this.#pets.values()) assert.ok(texts.includes(pet), `${pet} was shown, and is not stored`);
      await check?.(server, stored.map(({ name }) => name));
      for (const name of creates) {
        const { status, text } = await createPet(server, key, name);
        assert.deepEqual([status, text], [201, this.#pets.get(name) ?? text], "A create was repeated");
      }
      const next = JSON.parse((await createPet(server, key, "next")).text);
      const shown = Array.from(this.#pets.values(), (pet) => JSON.parse(pet).id);
      assert.ok(next.id > Math.max(0, ...shown), `${next.id} is not above the ids that were shown`);
      const names = (await walk(key, server)).map(({ name }) => name);
      assert.equal(new Set(names).size, names.length, "A create that was repeated made a second pet");
    });
  }
}
