import assert from "node:assert/strict";
import { createPostgresStore } from "../../../lib/stores/postgres/postgres_store.ts";
import { type PetStore, StoreUnavailableError } from "../../../mod.ts";
import { DRIVERS, runSql } from "../../support/postgres/postgres.ts";
import { whyNoCluster } from "../../support/postgres/cluster.ts";
import { until } from "../../support/until.ts";
import { withCluster } from "./support.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = testUnless(whyNoCluster());

/** Names the standbys that every commit waits for. */
async function waitFor(url: string, names: string): Promise<void> {
  await runSql(url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await runSql(url, "SELECT pg_reload_conf()");
  // Running processes take the setting over later.
  await until("the setting", async () => (await runSql(url, "SHOW synchronous_standby_names"))[0]?.[0] === names);
}

const send = (store: PetStore, key: string) =>
  store.createOnce!({ name: "Rex", categoryId: 7n, status: "sold" }, {
    key: key.repeat(22),
    fingerprint: "f".repeat(22),
    retentionMs: 600_000,
  });

for (const driver of DRIVERS) {
  test(`a create that was given up while it waited for a standby is neither shown nor acknowledged before the standby has it (${driver.name})`, () =>
    withCluster((_, url) =>
      driver.use(url, async (client) => {
        const store = await createPostgresStore(client, { timeout: 500 });
        await send(store, "a");
        await waitFor(url, "away");
        await assert.rejects(async () => await send(store, "b"), StoreUnavailableError);
        // If its wait was cancelled, it would be visible by now, and a failover would take it back.
        for (let i = 0; i < 3; i++) {
          assert.equal(await store.get(2n), undefined);
          await assert.rejects(async () => await send(store, "b"), StoreUnavailableError);
          await assert.rejects(async () => await send(store, "a"), StoreUnavailableError);
        }
        assert.equal(await store.get(2n), undefined);
        await waitFor(url, "");
        await until("a response", async () => {
          try {
            assert.deepEqual(await send(store, "b"), { outcome: "replayed", id: 2n });
            return true;
          } catch (error) {
            assert.ok(error instanceof StoreUnavailableError, String(error));
            return false;
          }
        });
        await store.close();
      })
    ));
}
