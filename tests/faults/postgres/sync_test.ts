import assert from "node:assert/strict";
import { createPostgresStore } from "../../../lib/stores/postgres/postgres_store.ts";
import type { PooledStore } from "../../../lib/stores/postgres/client/client.ts";
import { type KeyedPetStore, type PetStore, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { DRIVERS, runSql, untilAnswered } from "../../support/postgres/postgres.ts";
import { whyNoCluster } from "../../support/postgres/cluster.ts";
import { until } from "../../support/until.ts";
import { request } from "../../../packages/conformance/lib/store/case.ts";
import { PET, withCluster } from "../../support/postgres/servers.ts";
import { testUnless } from "../../support/system/commands.ts";

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

for (const driver of DRIVERS) {
  test(`a create that was given up while it waited for a standby is neither shown nor acknowledged before the standby has it (${driver.name})`, () =>
    withCluster((_, url) =>
      driver.use(url, async (client) => {
        const patient = await createPostgresStore(client);
        await send(patient, "a");
        // It gives up every create from now on, so no limit is too short for it.
        const connect = () => driver.connect(url);
        const store = await createPostgresStore(connect, { timeoutMs: 500 }) as KeyedPetStore & PooledStore;
        const refused = async (key: string) => {
          await assert.rejects(async () => await send(store, key), StoreUnavailableError);
          // The store sees that PostgreSQL answers, and that the create still runs: a new client would end what others do.
          await untilAnswered(() => store.get(1n));
        };
        // Without the time limit of a store: a busy machine may be slow.
        const assertHidden = async () => assert.deepEqual(await runSql(url, "SELECT id FROM petstore.pets"), [["1"]]);
        await takeStandbyAway(url);
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
        // A Pool gets another connection for each.
        assert.equal(store.pool.running > 0, driver.name === "postgres.js");
        await setStandbys(url, "");
        await untilAnswered(async () => assert.deepEqual(await send(patient, "b"), { outcome: "replayed", id: 2n }));
        await store.close();
        await patient.close();
      })
    ));
}
