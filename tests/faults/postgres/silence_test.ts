import assert from "node:assert/strict";
// @ts-types="@types/pg"
import { Pool } from "pg";
import postgres from "postgres";
import type { PetStore } from "../../../lib/stores/store.ts";
import { isAnswered, openImpatient, runSql, untilAnswered, withSchema } from "../../support/postgres/postgres.ts";
import { whyNoCluster } from "../../support/postgres/cluster.ts";
import { until } from "../../support/until.ts";
import { type Proxy, withProxy } from "../../support/postgres/proxy.ts";
import { PET } from "../../support/postgres/servers.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = testUnless(whyNoCluster());

const MAX = 4;
/** In milliseconds: longer than a busy machine takes for a statement. */
const TIMEOUT = 1000;

const makePool = (url: string) => new Pool({ connectionString: url, max: MAX, connectionTimeoutMillis: 1000 });
const makeSql = (url: string) => postgres(url, { max: MAX, fetch_types: false, connect_timeout: 1 });

/** The source of a store's connections, and how the test closes it. */
const SOURCES = {
  "a Pool"(url: string) {
    const source = makePool(url);
    return { source, end: () => source.end() };
  },
  "a sql of postgres.js"(url: string) {
    const source = makeSql(url);
    return { source, end: () => source.end({ timeout: 0 }) };
  },
  "a maker of sql": (url: string) => ({ source: () => makeSql(url), end: () => {} }),
};

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

for (const name of ["a Pool", "a maker of sql"] as const) {
  test(`a store on ${name} replaces silent connections`, () =>
    withSilent(async (proxy, through, schema, url) => {
      const { source, end } = SOURCES[name](through);
      const store = await openImpatient(source, { url, schema, timeoutMs: TIMEOUT });
      await untilOnlyResponses(store);
      proxy.silenceOpen();
      assert.equal(await isAnswered(store.check()), false);
      await untilOnlyResponses(store);
      await untilAnswered(() => store.create(PET));
      await store.close();
      await end();
    }));
}

for (const [name, open] of Object.entries(SOURCES)) {
  test(`a create that ${name} has no connection for is not sent later`, () =>
    withSilent(async (proxy, through, schema, url) => {
      const { source, end } = open(through);
      const store = await openImpatient(source, { url, schema, timeoutMs: TIMEOUT });
      proxy.silenceNew();
      // Closed by the server, so that the client opens new ones, which stay silent.
      const backends = `FROM pg_stat_activity WHERE query LIKE '%"${schema}"%' AND pid <> pg_backend_pid()`;
      await runSql(url, `SELECT pg_terminate_backend(pid) ${backends}`);
      for (let i = 0; i < 3; i++) assert.equal(await isAnswered(store.create(PET)), false);
      proxy.speak();
      await untilOnlyResponses(store);
      assert.deepEqual(await runSql(url, `SELECT count(*) FROM ${schema}.pets`), [["1"]]);
      await store.close();
      await end();
    }));
}
