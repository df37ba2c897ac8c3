/** Requests that expire within milliseconds and come again, while all servers delete them. */

import assert from "node:assert/strict";
import type { PetStore } from "@petstore/petstore/store";
import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { until } from "../../../../tests/support/until.ts";
import { forgetCall, PET, request, test, usingStore } from "../support.ts";

/** Sends the same few keys again and again, and returns how many pets were added. */
async function sendAgain(store: PetStore): Promise<number> {
  let added = 0;
  for (let round = 0; round < 60; round++) {
    await Promise.all(Array.from({ length: 100 }, async (_, i) => {
      const { outcome } = await store.createOnce!(PET, request(`${(i * 7 + round) % 150}`, "f", 2));
      if (outcome === "created") added++;
    }));
  }
  return added;
}

test.store(
  "reusing keys while servers delete them fails no create, and leaves nothing behind",
  async (one, url, schema) => {
    let isDone = false, deleted = 0;
    const deleteOn = async () => {
      while (!isDone) deleted += Number((await runSql(url, forgetCall(schema, 50)))[0]?.[0]);
    };
    const deleting = [deleteOn(), deleteOn()];
    const added = await usingStore(url, schema, async (other) => {
      return await Promise.all([one, one, other, other].map(sendAgain)).finally(() => isDone = true);
    });
    await Promise.all(deleting);
    assert.ok(deleted > 0);
    const stored = await runSql(url, `SELECT count(*) FROM "${schema}".pets`);
    assert.equal(Number(stored[0]), added.reduce((sum, each) => sum + each));
    const left = `SELECT FROM "${schema}".requests`;
    await until("nothing remembered", async () => {
      await runSql(url, forgetCall(schema, 1000));
      return (await runSql(url, left)).length === 0;
    });
    // A server deletes what has expired after the first request that it remembers.
    await runSql(url, `INSERT INTO "${schema}".requests VALUES ('old', 'f', 1, extract(epoch FROM now()) * 1000)`);
    await usingStore(url, schema, async (store) => {
      await store.createOnce!(PET, request("new"));
      await until("no old request", async () => (await runSql(url, left)).length === 1);
    });
  },
);
