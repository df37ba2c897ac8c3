/** Whether each state that a loss of power may leave keeps what was promised, as a server that starts on it and commands show. */

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import process from "node:process";
import { type AnyServer, runHere, withServerHere } from "../../support/server/in_process.ts";
import { FILE, STORE } from "../../support/server/pet_files.ts";
import { readKey, walk } from "../../support/server/server_process.ts";
import { Moment } from "./states.ts";
import type { Step } from "./trace.ts";
import type { Create, Expected } from "./workloads.ts";

export interface Checked {
  states: number;
  /** The first broken promise, and what was lost. */
  fault?: string;
}

/** Checks states until one is wrong. They are made in a folder, one after the other. */
export async function checkTrace(steps: readonly Step[], place: string): Promise<Checked> {
  const moment = new Moment(steps), promises = new Promises(), seen = new Set<string>();
  const before = process.cwd();
  try {
    for (let passed = moment.advance(); passed.length > 0; passed = moment.advance()) {
      for (const step of passed) promises.add(step);
      for (const losses of moment.losses()) {
        const state = moment.stateWithout(losses), key = promises.key + state.key;
        if (seen.has(key)) continue;
        seen.add(key);
        state.write(place);
        process.chdir(place);
        try {
          await check(promises);
        } catch (error) {
          const lost = [...losses].map((number) => steps[number]!.text).join(", ");
          return { states: seen.size, fault: `After ${steps[moment.end - 1]!.text}, without ${lost}: ${error}` };
        }
      }
    }
    return { states: seen.size };
  } finally {
    process.chdir(before);
  }
}

/** A pet, wherever it is shown. */
const PET = /\{"id":(\d+),"name":"[^"]*","categoryId":\d+,"status":"\w+"\}/g;

/** What has been promised up to a moment. */
class Promises {
  expected: Expected = { serve: [], creates: [], valid: [], revoked: [] };
  /** The pets in responses, by their ids. */
  readonly pets: Map<number, string> = new Map();
  /** The key that the first start has shown. */
  firstKey: string | undefined;

  /** Equal for equal promises. */
  get key(): string {
    return JSON.stringify([this.expected, [...this.pets], this.firstKey]);
  }

  add(step: Step): void {
    if (step.kind === "note") this.expected = JSON.parse(step.text);
    if (step.kind !== "shown") return;
    for (const [pet, id] of step.text.matchAll(PET)) this.pets.set(Number(id), pet);
    this.firstKey = /(petstore_\w+) \(new, kept/.exec(step.text)?.[1] ?? this.firstKey;
  }
}

/** Checks the files of the present folder. */
async function check({ expected, pets, firstKey }: Promises): Promise<void> {
  const { serve, key, creates, valid, revoked, alternatives, backup, restore } = expected;
  if (backup && (backup.isDone || existsSync(backup.file))) await checkCopy(backup.file, backup.pets);
  if (restore) await finishRestore(restore.backup);
  await withServerHere({ args: serve }, async (server) => {
    const kept = key ?? readKey(".");
    if (firstKey !== undefined) {
      assert.equal(kept, firstKey, "The file of the key does not have the key that was shown");
    }
    for (const each of valid) assert.equal((await server.ask("/v1/pets", each)).status, 200, "A key is not valid");
    for (const each of revoked) {
      assert.equal((await server.ask("/v1/pets", each)).status, 401, "A revoked key is valid");
    }
    const stored = await walk(kept, server), names = stored.map(({ name }) => name);
    const texts = new Set(stored.map((pet) => JSON.stringify(pet)));
    for (const pet of pets.values()) assert.ok(texts.has(pet), `${pet} was shown, and is not stored`);
    if (alternatives) assert.ok(alternatives.some((each) => each.join() === names.join()), `The pets are ${names}`);
    if (restore && names.length < restore.kept) await checkCopy(findReplaced(), restore.kept);
    for (const create of creates.filter(({ apiKey }) => [kept, ...valid].includes(apiKey))) {
      const { id } = await repeat(server, create);
      const { name } = JSON.parse(create.body);
      const shown = [...pets.values()].find((pet) => pet.includes(`"name":"${name}"`));
      if (shown) assert.equal(JSON.parse(shown).id, id, "A create that was repeated got another pet");
    }
    const next = await repeat(server, { body: '{"name":"next","categoryId":7}', idempotencyKey: "next", apiKey: kept });
    assert.ok(next.id > Math.max(0, ...pets.keys()), `${next.id} is not above the ids that were shown`);
    const after = (await walk(kept, server)).map(({ name }) => name);
    assert.equal(new Set(after).size, after.length, "A create that was repeated made a second pet");
  });
}

/** A copy that has its name is whole. */
async function checkCopy(file: string, least: number): Promise<void> {
  const { stdout, stderr } = await runHere(["check", `--store=sqlite:${file}`]);
  const stored = Number(/ is sound: (\d+) pets?$/m.exec(stdout)?.[1]);
  assert.ok(stored >= least, `The copy has ${stored} pets. ${stderr}`);
}

/** Repeats a restore if the file cannot be used, as it was before, or the restore says that it was cut short. */
async function finishRestore(backup: string): Promise<void> {
  const { stderr } = await runHere(["check", STORE]);
  if (!/was cut short|does not exist|is missing/.test(stderr)) return;
  const { status, stderr: reason } = await runHere(["restore", backup, STORE]);
  assert.equal(status, 0, reason);
}

/** The name of the file that a restore has replaced. */
function findReplaced(): string {
  return readdirSync(".").find((name) => name.startsWith(FILE) && /^\.[-\dT]+Z$/.test(name.slice(FILE.length))) ??
    "none";
}

async function repeat(
  server: AnyServer,
  { body, idempotencyKey, apiKey }: Create,
): Promise<{ id: number }> {
  const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
  const { status, text } = await server.ask("/v1/pets", apiKey, { method: "POST", headers, body });
  assert.equal(status, 201, text);
  return JSON.parse(text);
}
