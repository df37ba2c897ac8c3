/** Standalone servers on a PostgreSQL that can fail, and clients that do not give up. */

import assert from "node:assert/strict";
import {
  type Cluster,
  type ClusterOptions,
  removeCluster,
  removeLater,
  startCluster,
} from "../../support/postgres/cluster.ts";
import { runSql } from "../../support/postgres/postgres.ts";
import { type ServerProcess, withServer } from "../../support/server/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";

/** The one key of all servers here. */
export const KEY = "k";

/** Gives a cluster of its own, and the address that a server is started with. */
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

/** Starts so many servers, each in a folder of its own. */
export function withServers<T>(url: string, count: number, use: (servers: ServerProcess[]) => Promise<T>): Promise<T> {
  const open = (servers: ServerProcess[]): Promise<T> =>
    servers.length === count
      ? use(servers)
      : withTempFolder((folder) =>
        withServer(folder, { args: [`--key=${KEY}`, "--no-access-log"], env: { PETSTORE_STORE: url } }, (server) =>
          open([...servers, server]))
      );
  return open([]);
}

/** Asks on and on until the answer has this status. */
export async function untilAnswered(server: ServerProcess, path: string, status: number): Promise<void> {
  for (const guard = AbortSignal.timeout(15_000); !guard.aborted;) {
    if ((await server.ask(path, KEY)).status === status) return;
  }
  assert.fail(`${path} was never answered with ${status}`);
}

/** Sends one create, with its name as its key; answers the status and `Retry-After`. */
export async function createOnce(
  server: Asked,
  name: string,
): Promise<{ status: number; text: string; later: string }> {
  const headers = { "content-type": "application/json", "idempotency-key": name.slice(0, 255) };
  const body = JSON.stringify({ name, categoryId: 7 });
  const answer = await server.ask("/v1/pets", KEY, { method: "POST", headers, body });
  return { status: answer.status, text: answer.text, later: answer.headers.get("retry-after") ?? "" };
}

/** Whoever answers requests: a server, or what is in front of several. */
export type Asked = Pick<ServerProcess, "ask">;

/** What clients have been told. */
export interface Told {
  /** The names of acknowledged pets and their ids. */
  acknowledged: Map<string, number>;
  /** How often each status was the answer. */
  seen: Map<number, number>;
}

/** Creates with keys until told to stop, and sends each again, to any server, until it is acknowledged. */
export async function createOnAndOn(servers: Asked[], tag: string, isDone: () => boolean): Promise<Told> {
  const acknowledged = new Map<string, number>();
  const seen = new Map<number, number>();
  for (let i = 0; !isDone(); i++) {
    const name = `${tag}.${i}`;
    for (let tries = 0; !acknowledged.has(name); tries++) {
      const { status, text } = await createOnce(servers[(i + tries) % servers.length]!, name);
      seen.set(status, (seen.get(status) ?? 0) + 1);
      if (status === 201) acknowledged.set(name, JSON.parse(text).id);
      else assert.match(JSON.parse(text).code, /^(store_unavailable|bad_gateway)$/);
      if (status !== 201) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return { acknowledged, seen };
}

/** Holds what is stored against what was acknowledged: all of it, once, and nothing else. */
export async function auditStored(url: string, told: readonly Told[]): Promise<void> {
  const stored = await runSql(url, "SELECT name, id FROM petstore.pets ORDER BY id");
  const acknowledged = told.flatMap((each) => [...each.acknowledged]).sort(([, a], [, b]) => a - b);
  assert.deepEqual(stored, acknowledged.map(([name, id]) => [name, String(id)]));
}
