/** Standalone servers on a PostgreSQL that can fail, and persistent clients. */

import assert from "node:assert/strict";
import { SettingError, UnreachableError } from "../../../lib/server/process/start_error.ts";
import { readPostgresStore } from "../../../lib/server/store_setting/postgres.ts";
import type { KeyedPetStore } from "../../../lib/stores/store.ts";
import { type Cluster, removeCluster, startCluster } from "./cluster.ts";
import { runSql, sharedUrl } from "./postgres.ts";
import { type ServerParts, type ServerProcess, withServer } from "../server/server_process.ts";
import { type Asked, KEY, Ledger } from "../server/ledger.ts";
import type { SeenResponse } from "../openapi_validator.ts";
import { until } from "../until.ts";
import { withTempFolder } from "../temp.ts";

export { type Asked, KEY };

export const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;

/** A cluster of its own, for a test that ends or changes it. */
export async function withCluster<T>(
  use: (cluster: Cluster, url: string) => Promise<T>,
  settings?: readonly string[],
  programs?: string,
): Promise<T> {
  const cluster = await startCluster(settings, programs);
  try {
    return await use(cluster, urlOf(cluster));
  } finally {
    removeCluster(cluster);
  }
}

/** A database of its own in the cluster that all tests share. */
export async function withDatabase<T>(use: (url: string, port: number) => Promise<T>): Promise<T> {
  const shared = new URL(await sharedUrl());
  const name = `test_${crypto.randomUUID().slice(0, 8)}`;
  await runSql(shared.href, `CREATE DATABASE ${name}`);
  const port = Number(shared.port);
  return await use(urlOf({ port }, name), port);
}

/** With a password, which no line of a server may have. */
export function urlOf({ port }: Pick<Cluster, "port">, database = "postgres"): string {
  return `postgres://postgres:hunter2@127.0.0.1:${port}/${database}`;
}

/** The same address with these hosts in place of its own, and a query. */
export function at(url: string, hosts: string, query = ""): string {
  return url.replace(/@[^/]+/, `@${hosts}`) + query;
}

/** Opens the store of a server in this process. */
export async function openStore(url: string): Promise<KeyedPetStore> {
  return await (await readPostgresStore(url, () => undefined)).open() as KeyedPetStore;
}

/** Fails unless such a store cannot be opened; `mayHelp` is whether a later start may succeed. */
export async function assertRefused(url: string, message: RegExp, mayHelp: boolean): Promise<void> {
  await assert.rejects(openStore(url), (error) => {
    assert.ok(error instanceof SettingError, String(error));
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /hunter2|\n/);
    assert.equal(error instanceof UnreachableError, mayHelp, error.message);
    return true;
  });
}

/** Opens the store of a server, adds a pet, and closes it. */
export async function addPet(url: string, use: (store: KeyedPetStore) => unknown = () => {}): Promise<void> {
  await using store = await openStore(url);
  await store.create(PET);
  await use(store);
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

export function untilAnswered(server: Asked, path: string, status: number): Promise<void> {
  return until(`${path} answered with ${status}`, async () => (await server.ask(path, KEY)).status === status);
}

export function createOnce(server: Asked, name: string): Promise<SeenResponse> {
  return new Ledger().send(server, name, name.slice(0, 255));
}

export async function countStored(url: string): Promise<number> {
  return Number((await runSql(url, "SELECT count(*) FROM petstore.pets"))[0]?.[0]);
}
