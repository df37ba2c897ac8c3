import assert from "node:assert/strict";
import { createPostgresStore } from "../../mod.ts";
import type { PooledStore } from "../../lib/client/database.ts";
import { type KeyedPetStore, type PetStore, StoreUnavailableError } from "@petstore/petstore/store";
import { connect, runSql, untilAnswered, withPool } from "../../../../tests/support/postgres/postgres.ts";
import { whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { until } from "../../../../tests/support/until.ts";
import { request } from "../../../conformance/lib/store/case.ts";
import { PET, withCluster } from "../../../../tests/support/postgres/servers.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster());

/** A commit that writes something: only such a one waits. */
const PROBE = "SELECT pg_logical_emit_message(true, 'probe', '')";

async function setStandbys(url: string, names: string): Promise<void> {
  await runSql(url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await runSql(url, "SELECT pg_reload_conf()");
}

/** Whether a statement with this text is being committed and waits for a standby. */
async function isWaiting(url: string, text: string): Promise<boolean> {
  const waiting = `FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%${text}%'`;
  return (await runSql(url, `SELECT count(*) ${waiting}`))[0]?.[0] !== "0";
}

/**
 * Makes all commits wait for a standby that is away. One process of PostgreSQL, the checkpointer, decides that for all
 * sessions, at some time after the reload. No setting shows it, but a commit that waits does.
 */
async function takeStandbyAway(url: string): Promise<void> {
  await setStandbys(url, "away");
  await until("a commit that waits", async () => {
    let isOver = false;
    // The one that waits ends with the wait, or with the database.
    const over = () => void (isOver = true);
    runSql(url, PROBE).then(over, over);
    while (!isOver) if (await isWaiting(url, "probe")) return true;
    return false;
  });
}

const send = (store: PetStore, key: string) => store.createOnce!(PET, request(key, "f", 600_000));

test(`a create that was given up while it waited for a standby is neither shown nor acknowledged before the standby has it`, () =>
  withCluster((_, url) =>
    withPool(url, async (pool) => {
      const patient = await createPostgresStore(pool);
      await send(patient, "a");
      // It gives up every create from now on, so no limit is too short for it.
      const other = connect(url);
      const store = await createPostgresStore(other, { timeoutMs: 500 }) as KeyedPetStore & PooledStore;
      const refused = async (key: string) => {
        await assert.rejects(async () => await send(store, key), StoreUnavailableError);
        // Reads go on.
        await untilAnswered(() => store.get(1n));
      };
      // This does not use a store, because a busy machine may be slower than the time limit of one.
      const assertHidden = async () => assert.deepEqual(await runSql(url, "SELECT id FROM petstore.pets"), [["1"]]);
      await untilAnswered(() => store.checkWrites!());
      await takeStandbyAway(url);
      await assert.rejects(async () => await store.checkWrites!(), StoreUnavailableError);
      await until("a create that was given up and waits", async () => {
        await refused("b");
        await assertHidden();
        return await isWaiting(url, "add_pets");
      });
      // If its wait was cancelled, it would be visible by now, and a failover would take it back.
      await refused("a");
      await refused("b");
      await assertHidden();
      assert.ok(await isWaiting(url, "add_pets"), "The wait was cancelled");
      // They take no connection from the store, once the last request to cancel one has ended.
      await until("no statement of the store runs", () => store.pool.running === 0);
      await setStandbys(url, "");
      await untilAnswered(async () => assert.deepEqual(await send(patient, "b"), { outcome: "replayed", id: 2n }));
      await store.close();
      await patient.close();
      await other.end();
    })
  ));
