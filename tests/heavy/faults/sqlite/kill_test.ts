/** SIGKILL under clients that create pets: what was acknowledged is there after the next start, and a repeated create adds nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerProcess, walk } from "../../../support/server/server_process.ts";
import { withTempFolder } from "../../../support/temp.ts";

const KEY = "pk_test";
const ARGS = ["--store=sqlite:pets.db", `--key=${KEY}`, "--log=off"];

/** How many clients create pets at the same time, and after how many acknowledged pets the server is killed, round by round. */
const CLIENTS = 16, KILLS = [0, 1, 40, 200, 500];

/** A create: its name, which no other has, and its id once it was acknowledged. */
interface Create {
  name: string;
  id?: string;
}

/** Sends a create with its own `Idempotency-Key`. A connection that ends without a response acknowledges nothing. */
async function send(server: ServerProcess, create: Create): Promise<boolean> {
  const headers = {
    authorization: `Bearer ${KEY}`,
    "content-type": "application/json",
    "idempotency-key": create.name,
  };
  const body = `{"name":"${create.name}","categoryId":9223372036854775807}`;
  try {
    const response = await fetch(`${server.origin}/v1/pets`, { method: "POST", headers, body });
    const text = await response.text();
    assert.equal(response.status, 201, text);
    const [, id = ""] = /^\{"id":(\d+),/.exec(text)!;
    assert.equal(create.id ?? id, id, "a repeated create has another id");
    create.id = id;
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return false;
  }
}

test("SIGKILL under creating clients loses no acknowledged pet, and a create that is repeated afterwards makes no second one", () =>
  withTempFolder(async (folder) => {
    const creates: Create[] = [];
    for (const [round, kill] of KILLS.entries()) {
      await using server = await ServerProcess.start(folder, { args: ARGS });
      let acknowledged = 0;
      const client = async (number: number) => {
        for (let i = 0;; i++) {
          const create: Create = { name: `pet-${round}-${number}-${i}` };
          creates.push(create);
          if (!await send(server, create)) return;
          if (++acknowledged === kill) server.kill("SIGKILL");
        }
      };
      const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
      if (kill === 0) server.kill("SIGKILL");
      await clients;
    }
    const before = creates.filter(({ id }) => id !== undefined).map(({ id, name }) => [id, name]);
    assert.ok(before.length >= KILLS.reduce((sum, kill) => sum + kill), `${before.length} acknowledged`);
    assert.ok(before.length < creates.length, "each kill cut a create");

    await using server = await ServerProcess.start(folder, { args: ARGS });
    const stored = new Map((await walk(KEY, server)).map(({ id, name }) => [String(id), name]));
    for (const [id, name] of before) assert.equal(stored.get(id!), name);
    for (const create of creates) assert.ok(await send(server, create));
    const pets = await walk(KEY, server);
    assert.deepEqual(pets.map(({ name }) => name).toSorted(), creates.map(({ name }) => name).toSorted());
    assert.deepEqual(new Set(pets.map(({ id }) => String(id))), new Set(creates.map(({ id }) => id)));
  }));
