import assert from "node:assert/strict";
// @ts-types="@types/pg"
import { Pool } from "pg";
import type { PetStore } from "@petstore/petstore/store";
import {
  isAnswered,
  openImpatient,
  runSql,
  untilAnswered,
  withSchema,
} from "../../../../tests/support/postgres/postgres.ts";
import { whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { until } from "../../../../tests/support/until.ts";
import { type Proxy, withProxy } from "../../../../tests/support/postgres/proxy.ts";
import { PET } from "../../../../tests/support/postgres/servers.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster());

const MAX = 4;
/** A time limit that is longer than a busy machine takes for a statement, in milliseconds. */
const TIMEOUT = 1000;

const makePool = (url: string, application: string) =>
  new Pool({ connectionString: url, max: MAX, connectionTimeoutMillis: 1000, application_name: application });

function withSilent(use: (proxy: Proxy, through: string, schema: string, url: string) => Promise<void>) {
  return withSchema((url, schema) => {
    const { port } = new URL(url);
    return withProxy(Number(port), async (proxy) => {
      await use(proxy, url.replace(`:${port}/`, `:${proxy.port}/`), schema, url);
    });
  });
}

/** All connections answer: more reads at once than there are. */
function untilOnlyResponses(store: PetStore): Promise<void> {
  return until("only responses", async () => {
    const gets = Array.from({ length: 50 }, () => isAnswered(store.get(1n)));
    return (await Promise.all(gets)).every(Boolean);
  });
}

test("a store replaces silent connections", () =>
  withSilent(async (proxy, through, schema, url) => {
    const pool = makePool(through, schema);
    const store = await openImpatient(pool, { url, schema, timeoutMs: TIMEOUT });
    await untilOnlyResponses(store);
    proxy.silenceOpen();
    assert.equal(await isAnswered(store.check()), false);
    await untilOnlyResponses(store);
    await untilAnswered(() => store.create(PET));
    await store.close();
    await pool.end();
  }));

test("a create that the pool has no connection for is not sent later", () =>
  withSilent(async (proxy, through, schema, url) => {
    const pool = makePool(through, schema);
    const store = await openImpatient(pool, { url, schema, timeoutMs: TIMEOUT });
    proxy.silenceNew();
    // Closed by the server, so that the pool opens new ones, which stay silent.
    await runSql(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${schema}'`);
    for (let i = 0; i < 3; i++) assert.equal(await isAnswered(store.create(PET)), false);
    proxy.speak();
    await untilOnlyResponses(store);
    assert.deepEqual(await runSql(url, `SELECT count(*) FROM ${schema}.pets`), [["1"]]);
    await store.close();
    await pool.end();
  }));
