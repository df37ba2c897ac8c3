/** Requests that expire within milliseconds and come again, while all servers delete them. */

import assert from "node:assert/strict";
import { createPostgresStore } from "../../mod.ts";
import { statementsFor } from "../../lib/statements.ts";
import { request } from "../../../conformance/lib/store/case.ts";
import type { PetStore } from "@petstore/petstore/store";
import { runSql, whyNoPostgres, withPool, withSchema } from "../../../../tests/support/postgres/postgres.ts";
import { until } from "../../../../tests/support/until.ts";
import { PET } from "../../../../tests/support/postgres/servers.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoPostgres());

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

test("reusing keys while servers delete them fails no create, repeats no id and leaves nothing behind", () =>
  withSchema((url, schema) =>
    withPool(url, (one) =>
      withPool(url, async (other) => {
        const stores = [await createPostgresStore(one, { schema }), await createPostgresStore(other, { schema })];
        const { deleteExpired } = statementsFor(schema);
        let isDone = false;
        const forgetOn = async () => {
          let forgotten = 0;
          while (!isDone) forgotten += Number((await runSql(url, deleteExpired.replace("$1", "50")))[0]?.[0]);
          return forgotten;
        };
        const forgetting = [forgetOn(), forgetOn()];
        const made = await Promise.all([...stores, ...stores].map((store) => sendAgain(store, 60)))
          .finally(() => isDone = true);
        const ids = made.flat();
        assert.ok((await Promise.all(forgetting)).some((forgotten) => forgotten > 0));
        assert.equal(new Set(ids).size, ids.length);
        assert.deepEqual(await runSql(url, `SELECT count(*) FROM "${schema}".pets`), [[String(ids.length)]]);
        for (const store of stores) await store.close();
        await until("nothing remembered", async () => {
          await runSql(url, deleteExpired.replace("$1", "1000"));
          return (await runSql(url, `SELECT count(*) FROM "${schema}".requests`))[0]?.[0] === "0";
        });
      }))
  ));
