/** Requests that expire within milliseconds and come again, while all servers delete them. */

import assert from "node:assert/strict";
import { statementsFor } from "../../lib/statements.ts";
import type { PetStore } from "@petstore/petstore/store";
import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { until } from "../../../../tests/support/until.ts";
import { PET, request, test, usingStore } from "../support.ts";

/** Sends the same few keys again and again, and returns the ids of new pets. */
async function sendAgain(store: PetStore, rounds: number): Promise<bigint[]> {
  const made: bigint[] = [];
  for (let round = 0; round < rounds; round++) {
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, i) => {
      return store.createOnce!(PET, request(`${(i * 7 + round) % 150}`, "f", 2));
    }));
    for (const each of outcomes) if (each.outcome === "created") made.push(each.id);
  }
  return made;
}

test.store(
  "reusing keys while servers delete them fails no create, repeats no id and leaves nothing behind",
  async (one, url, schema) => {
    const { deleteExpired } = statementsFor(schema);
    const forget = async (most: string) => Number((await runSql(url, deleteExpired.replace("$1", most)))[0]?.[0]);
    let isDone = false;
    const forgetOn = async () => {
      let forgotten = 0;
      while (!isDone) forgotten += await forget("50");
      return forgotten;
    };
    const forgetting = [forgetOn(), forgetOn()];
    const ids = await usingStore(url, schema, async (other) => {
      const made = [one, one, other, other].map((store) => sendAgain(store, 60));
      return (await Promise.all(made).finally(() => isDone = true)).flat();
    });
    assert.ok((await Promise.all(forgetting)).some((forgotten) => forgotten > 0));
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(await runSql(url, `SELECT count(*) FROM "${schema}".pets`), [[String(ids.length)]]);
    await until("nothing remembered", async () => {
      await forget("1000");
      return (await runSql(url, `SELECT FROM "${schema}".requests`)).length === 0;
    });
  },
);
