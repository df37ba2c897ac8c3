/** PostgreSQL for tests: one cluster for all files of a run, and a schema for each test. */

import process from "node:process";
// @ts-types="@types/pg"
import { Client, Pool } from "pg";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { until } from "../until.ts";
import { startCluster, whyNoCluster } from "./cluster.ts";

/** The URL of a given database, in which schemas may be made and dropped. */
export const GIVEN: string | undefined = process.env["PETSTORE_TEST_POSTGRES"];

export function whyNoPostgres(): string | false {
  return GIVEN ? false : whyNoCluster();
}

/** Where the database is in which tests make schemas. */
export async function postgresUrl(): Promise<string> {
  return GIVEN ?? await sharedUrl();
}

/** The variable that tells the next file of tests of this process where the shared cluster is. */
const SHARED = `TESTS_POSTGRES_${process.pid}`;

let shared: Promise<string> | undefined;

/** The cluster that all files of tests share. */
export function sharedUrl(): Promise<string> {
  return shared ??= startShared();
}

async function startShared(): Promise<string> {
  const known = process.env[SHARED];
  if (known !== undefined) return known;
  const { port } = await startCluster();
  return process.env[SHARED] = `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** @param application How the connections are called in `pg_stat_activity`. */
export function connect(url: string, application = "test", max = 4): Pool {
  return new Pool({ connectionString: url, max, application_name: application, connectionTimeoutMillis: 5000 });
}

export async function withPool<T>(url: string, use: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = connect(url);
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}

/** Provides a schema of its own. A given database keeps no schema afterwards. */
export async function withSchema<T>(use: (url: string, schema: string) => Promise<T>): Promise<T> {
  const url = await postgresUrl();
  const schema = `test_${crypto.randomUUID().replaceAll("-", "_")}`;
  try {
    return await use(url, schema);
  } finally {
    if (GIVEN) await runSql(url, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  }
}

/** Runs SQL and gives the rows as PostgreSQL's text, of several statements those of all, one after the other. */
export async function runSql(url: string, text: string): Promise<(string | null)[][]> {
  const client = new Client({ connectionString: url, types: { getTypeParser: () => String } });
  client.on("error", () => {});
  await client.connect();
  try {
    const results = await client.query({ text, rowMode: "array" });
    return [results].flat().flatMap(({ rows }) => rows);
  } finally {
    await client.end();
  }
}

/** Whether work succeeds. It may only fail because the store is not available. */
export async function isAnswered(work: unknown): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return false;
    throw error;
  }
}

export function untilAnswered(work: () => unknown): Promise<void> {
  return until("a response", () => isAnswered(work()));
}
