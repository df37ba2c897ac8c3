/** Requests that expire within milliseconds and come again, while all servers delete them. */

import assert from "node:assert/strict";
import type { PetStore } from "@petstore/petstore/store";
import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { until } from "../../../../tests/support/until.ts";
import { forgetCall, PET, request, test, usingStore } from "../support.ts";

/** Sends the same few keys again and again, and returns the ids of new pets. */
async function sendAgain(store: PetStore): Promise<bigint[]> {
  const made: bigint[] = [];
  for (let round = 0; round < 60; round++) {
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
    let isDone = false, deleted = 0;
    const deleteOn = async () => {
      while (!isDone) deleted += Number((await runSql(url, forgetCall(schema, 50)))[0]?.[0]);
    };
    const deleting = [deleteOn(), deleteOn()];
    const ids = await usingStore(url, schema, async (other) => {
      const made = [one, one, other, other].map(sendAgain);
      return (await Promise.all(made).finally(() => isDone = true)).flat();
    });
    await Promise.all(deleting);
    assert.ok(deleted > 0);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(await runSql(url, `SELECT count(*) FROM "${schema}".pets`), [[String(ids.length)]]);
    const left = `SELECT FROM "${schema}".requests`;
    await until("nothing remembered", async () => {
      await runSql(url, forgetCall(schema, 1000));
      return (await runSql(url, left)).length === 0;
    });
    await runSql(url, `INSERT INTO "${schema}".requests VALUES ('old', 'f', 1, extract(epoch FROM now()) * 1000)`);
    // A server deletes what has expired after the first request that it remembers.
    await usingStore(url, schema, async (store) => {
      await store.createOnce!(PET, request("new"));
      await until("no old request", async () => (await runSql(url, left)).length === 1);
    });
  },
);
