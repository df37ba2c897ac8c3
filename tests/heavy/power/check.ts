/** Whether each state that a loss of power may leave keeps what was promised, as a server that starts on it and commands show. */

import assert from "node:assert/strict";
import { inFolder, withServerHere } from "../../support/server/in_process.ts";
import { readKey, walk } from "../../support/server/server_process.ts";
import { Disk } from "./disk.ts";
import type { Step } from "./trace.ts";
import { createPet, type Expected, SERVE } from "./workloads.ts";

export interface Checked {
  states: number;
  /** The first broken promise, and what was lost. */
  fault?: string;
}

/** Checks the states at each sync and after each text that was shown, until one is wrong. */
export async function checkSteps(steps: readonly Step[], expected: readonly Expected[]): Promise<Checked> {
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
