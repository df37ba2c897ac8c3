/** Databases and clusters that tests may end or change, and standalone servers on them. */

import { readPostgresStore } from "../../../lib/server/settings/store_setting.ts";
import type { KeyedPetStore } from "../../../lib/stores/store.ts";
import { type Cluster, removeCluster, startCluster } from "./cluster.ts";
import { runSql, sharedUrl } from "./postgres.ts";
import { ServerProcess } from "../server/server_process.ts";
import { KEY } from "../server/ledger.ts";
import { until } from "../until.ts";
import { withTempFolder } from "../temp.ts";

export const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;

/** A cluster of its own, for a test that ends or changes it. */
export async function withCluster<T>(
  use: (cluster: Cluster, url: string) => Promise<T>,
  programs?: string,
): Promise<T> {
  const cluster = await startCluster(programs);
  try {
    return await use(cluster, urlOf(cluster.port, "postgres"));
  } finally {
    removeCluster(cluster);
  }
}

/** A database of its own in the cluster that all tests share. */
export async function withDatabase<T>(use: (url: string, port: number) => Promise<T>): Promise<T> {
  const url = await sharedUrl(), port = Number(new URL(url).port);
  const name = `test_${crypto.randomUUID().slice(0, 8)}`;
  await runSql(url, `CREATE DATABASE ${name}`);
  return await use(urlOf(port, name), port);
}

/** With a password, which no line of a server may have. */
function urlOf(port: number, database: string): string {
  return `postgres://postgres:hunter2@127.0.0.1:${port}/${database}`;
}

/** The same address with this host in place of its own, and a query. */
export function at(url: string, host: string, query = ""): string {
  return url.replace(/@[^/]+/, `@${host}`) + query;
}

/** Opens the store of a server in this process. */
export async function openStore(url: string): Promise<KeyedPetStore> {
  return await (await readPostgresStore(url, () => undefined)).open() as KeyedPetStore;
}

export function withServers<T>(url: string, count: number, use: (servers: ServerProcess[]) => Promise<T>): Promise<T> {
  return withTempFolder(async (folder) => {
    await using started = new AsyncDisposableStack();
    const parts = { args: [`--key=${KEY}`, "--log=off"], env: { PETSTORE_STORE: url } };
    const servers: ServerProcess[] = [];
    while (servers.length < count) servers.push(started.use(await ServerProcess.start(folder, parts)));
    return await use(servers);
  });
}

export function untilStatus({ ask }: Pick<ServerProcess, "ask">, path: string, status: number): Promise<void> {
  return until(`${path} answered with ${status}`, async () => (await ask(path, KEY)).status === status);
}
