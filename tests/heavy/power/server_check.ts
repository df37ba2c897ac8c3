/** Whether a server that starts on what a loss of power has left keeps what was promised. In this process, in its folder. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { type AnyServer, runHere, withServerHere } from "../../support/server/in_process.ts";
import { readKey } from "../../support/server/server_process.ts";
import type { Random } from "../../support/random.ts";
import { type Create, PET, type Promises } from "./promises.ts";

/** Acknowledged creates that are repeated. */
const REPEATED = 3;

export async function findServedFaults(folder: string, promises: Promises, random: Random): Promise<string[]> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    await ask(folder, promises, random);
    return [];
  } catch (error) {
    return [`A server does not keep it: ${error instanceof Error ? error.stack : error}`];
  } finally {
    process.chdir(before);
  }
}

async function ask(folder: string, promises: Promises, random: Random): Promise<void> {
  const { path, serve, key } = promises.store, store = `--store=sqlite:${path}`;
  await withServerHere({ args: serve }, async (server) => {
    await askKeys(server, promises);
    const apiKey = key ?? readKey(folder);
    for (const create of choose(promises, random)) {
      const { status, text } = await post(server, create);
      assert.equal(status, 201, text);
      assert.equal(text, create.pet ?? text, "A retry got another pet");
    }
    const { text } = await post(server, { body: '{"name":"the next","categoryId":7}', key: "the-next", apiKey });
    const shown = Math.max(0, ...[...promises.pets.keys()].map(Number));
    assert.ok(JSON.parse(text).id > shown, `After ${shown} came ${text}`);
    await assertListed(server, apiKey, promises);
    assert.equal(await server.stop(), 0);
  });
  const missing = promises.imports.filter(({ names }) => !readNames(join(folder, path)).has(names[0]!));
  for (const [i, { text }] of missing.entries()) {
    const file = join(folder, `${i}.ndjson`);
    writeFileSync(file, text);
    await succeed("import", file, store);
  }
  const stored = readNames(join(folder, path));
  for (const name of promises.imports.flatMap(({ names }) => names)) {
    assert.ok(stored.has(name), `${name} was not imported`);
  }
  await succeed("check", store);
}

async function succeed(...args: string[]): Promise<void> {
  const { status, stderr } = await runHere(args);
  assert.equal(status, 0, `${args.join(" ")}: ${stderr}`);
}

async function askKeys(server: AnyServer, { keys, valid, revoked }: Promises): Promise<void> {
  for (const [id, key] of keys) {
    if (!valid.has(id) && !revoked.has(id)) continue;
    assert.equal((await server.ask("/v1/pets", key)).status, revoked.has(id) ? 401 : 200, id);
  }
}

/** All that were not answered, and some that were, whose keys are valid. */
function choose({ creates, keys, valid, store }: Promises, random: Random): Create[] {
  const isValid = ({ apiKey }: Create) => apiKey === store.key || [...valid].some((id) => keys.get(id) === apiKey);
  const usable = [...creates.values()].filter(isValid), answered = usable.filter(({ pet }) => pet !== undefined);
  const some = answered.length === 0 ? [] : Array.from({ length: REPEATED }, () => random.pick(answered));
  return [...usable.filter(({ pet }) => pet === undefined), ...some];
}

function post(server: AnyServer, { body, key, apiKey }: Create) {
  const headers = { "content-type": "application/json", "idempotency-key": key };
  return server.ask("/v1/pets", apiKey, { method: "POST", headers, body });
}

async function assertListed(server: AnyServer, key: string, { pets }: Promises): Promise<void> {
  let listed = "";
  for (let path: string | undefined = "/v1/pets?limit=100"; path !== undefined;) {
    const { status, headers, text } = await server.ask(path, key);
    assert.equal(status, 200, text);
    listed += text;
    path = /<(.*)>/.exec(headers.get("link") ?? "")?.[1];
  }
  for (const pet of pets.values()) assert.ok(listed.includes(pet), `${pet} is not listed`);
  const names = [...listed.matchAll(PET)].map(([, , name]) => name);
  assert.equal(new Set(names).size, names.length, "A pet is listed twice");
}

function readNames(path: string): Set<string> {
  using db = new DatabaseSync(path);
  const names = db.prepare("SELECT name FROM pets").all().map(({ name }) => String(name));
  const unique = new Set(names);
  assert.equal(unique.size, names.length, "A pet was imported twice");
  return unique;
}
