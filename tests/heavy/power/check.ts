/** Whether each state that a loss of power may leave keeps what was promised, as a server that starts on it and commands show. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import process from "node:process";
import { type AnyServer, runHere, withServerHere } from "../../support/server/in_process.ts";
import { readKey } from "../../support/server/server_process.ts";
import { PET, Promises } from "./promises.ts";
import { Moment, writeState } from "./states.ts";
import type { Step } from "./trace.ts";

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
      promises.add(passed);
      for (const losses of moment.losses()) {
        const state = moment.stateWithout(losses), promised = JSON.stringify(promises, showMaps);
        if (seen.has(promised + state.key)) continue;
        seen.add(promised + state.key);
        writeState(state, place);
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

function showMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}

/** Checks the files of the present folder. */
async function check(promises: Promises): Promise<void> {
  const { store: { serve, key }, keptKey, keys, pets, creates, imports, backups } = promises;
  for (const [file, { least, count }] of backups) await checkBackup(file, least, count);
  await withServerHere({ args: serve }, async (server) => {
    const kept = key ?? readKey(".");
    if (keptKey !== undefined) assert.equal(kept, keptKey, "The file of the key does not have the key that was shown");
    for (const [text, isValid] of keys) {
      const { status } = await server.ask("/v1/pets", text);
      assert.equal(
        status,
        isValid ? 200 : 401,
        `A key that was ${isValid ? "shown is not valid" : "revoked is valid"}`,
      );
    }
    let listed = await list(server, kept);
    for (const pet of pets.values()) assert.ok(listed.includes(pet), `${pet} was shown, and is not stored`);
    for (const { names, isDone } of imports) {
      const missing = names.filter((name) => !listed.includes(`"name":${JSON.stringify(name)},`)).length;
      const isRight = missing === 0 || (missing === names.length && !isDone);
      assert.ok(isRight, `${missing} of ${names.length} imported pets are missing`);
    }
    const shown = [...listed.matchAll(PET)].map(([, id]) => Number(id));
    for (const [name, { body, key, apiKey }] of creates) {
      if (apiKey !== kept && keys.get(apiKey) !== true) continue;
      const { status, text } = await post(server, apiKey, body, key);
      assert.equal(status, 201, text);
      assert.equal(text, pets.get(name) ?? text, "A create that was repeated got another pet");
    }
    const next = JSON.parse((await post(server, kept, '{"name":"the next","categoryId":7}', "the-next")).text);
    assert.ok(next.id > Math.max(0, ...shown), `${next.id} is not above the ids that were shown`);
    listed = await list(server, kept);
    const names = [...listed.matchAll(PET)].map(([, , name]) => name);
    assert.equal(new Set(names).size, names.length, "A create that was repeated made a second pet");
  });
}

/** A backup that has its name is whole. */
async function checkBackup(file: string, least: number, count: number | undefined): Promise<void> {
  if (count === undefined && !existsSync(file)) return;
  const { stdout, stderr } = await runHere(["check", `--store=sqlite:${file}`]);
  const stored = Number(/ is sound: (\d+) pets?$/m.exec(stdout)?.[1]);
  assert.ok(stored >= least && stored === (count ?? stored), `The backup has ${stored} pets. ${stderr}`);
}

function post(server: AnyServer, apiKey: string, body: string, key: string) {
  const headers = { "content-type": "application/json", "idempotency-key": key };
  return server.ask("/v1/pets", apiKey, { method: "POST", headers, body });
}

async function list(server: AnyServer, key: string): Promise<string> {
  let listed = "";
  for (let path: string | undefined = "/v1/pets?limit=100"; path !== undefined;) {
    const { status, headers, text } = await server.ask(path, key);
    assert.equal(status, 200, text);
    listed += text;
    path = /<(.*)>/.exec(headers.get("link") ?? "")?.[1];
  }
  return listed;
}
