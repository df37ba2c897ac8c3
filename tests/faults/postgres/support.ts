/** Standalone servers on a PostgreSQL that can fail, and persistent clients. */

import assert from "node:assert/strict";
import {
  type Cluster,
  type ClusterOptions,
  removeCluster,
  removeLater,
  startCluster,
} from "../../support/postgres/cluster.ts";
import { runSql } from "../../support/postgres/postgres.ts";
import { type ServerParts, type ServerProcess, withServer } from "../../support/server/server_process.ts";
import { type Asked, KEY, Ledger } from "../../support/server/ledger.ts";
import type { SeenResponse } from "../../support/openapi_validator.ts";
import { until } from "../../support/until.ts";
import { withTempFolder } from "../../support/temp.ts";

export { type Asked, KEY };

export async function withCluster<T>(
  use: (cluster: Cluster, url: string) => Promise<T>,
  settings: readonly string[] = [],
  options: ClusterOptions = {},
): Promise<T> {
  const cluster = await startCluster(settings, options);
  removeLater(cluster);
  try {
    return await use(cluster, urlOf(cluster));
  } finally {
    removeCluster(cluster);
  }
}

/** With a password, which no line of a server may have. */
export function urlOf({ port }: Cluster): string {
  return `postgres://postgres:hunter2@127.0.0.1:${port}/postgres`;
}

export function onStore(url: string, ...args: string[]): ServerParts {
  return { args: [`--key=${KEY}`, "--port=0", ...args], env: { PETSTORE_STORE: url } };
}

export function withServers<T>(url: string, count: number, use: (servers: ServerProcess[]) => Promise<T>): Promise<T> {
  const open = (servers: ServerProcess[]): Promise<T> =>
    servers.length === count
      ? use(servers)
      : withTempFolder((folder) =>
        withServer(folder, onStore(url, "--log=off"), (server) => open([...servers, server]))
      );
  return open([]);
}

export function withOneServer<T>(url: string, use: (server: ServerProcess) => Promise<T>): Promise<T> {
  return withServers(url, 1, ([server]) => use(server!));
}

export function untilAnswered(server: ServerProcess, path: string, status: number): Promise<void> {
  return until(`${path} answered with ${status}`, async () => (await server.ask(path, KEY)).status === status);
}

export function createOnce(server: Asked, name: string): Promise<SeenResponse> {
  return new Ledger().send(server, name, name.slice(0, 255));
}

/** Clients create during `use`. Afterwards the database must have exactly the acknowledged pets. */
export async function underLoad(
  url: string,
  servers: readonly Asked[],
  clients: number,
  use: (ledger: Ledger) => Promise<void>,
  tag = "c",
): Promise<void> {
  const ledger = new Ledger();
  let isDone = false;
  const load = Promise.all(
    Array.from({ length: clients }, (_, i) => ledger.createOnAndOn(servers, `${tag}${i}`, () => isDone)),
  );
  await Promise.race([use(ledger), load]).finally(() => isDone = true);
  await load;
  const stored = await runSql(url, "SELECT name, id FROM petstore.pets ORDER BY id");
  assert.deepEqual(stored, ledger.inOrder().map(({ name, id }) => [name, String(id)]));
}

export async function countStored(url: string): Promise<number> {
  return Number((await runSql(url, "SELECT count(*) FROM petstore.pets"))[0]?.[0]);
}
