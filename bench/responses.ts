/** Responses as a client gets them. The limit sends copies of the petstore's, and all are compared before a measurement. */

import assert from "node:assert/strict";
import { AUTHORIZATION } from "./catalogue.ts";
import type { ServerProcess } from "./load/server_process.ts";
import type { Load } from "./load/wrk.ts";
import type { StoredResponse } from "./servers/limit.ts";

type Port = Pick<ServerProcess, "port">;

/** Headers of the runtime or of the connection. */
const OF_THE_HOST = new Set(["content-length", "date", "connection", "keep-alive"]);

/** Sends the request of a load once. Checks that the response has the expected status. */
export async function readResponse({ port }: Port, load: Load): Promise<StoredResponse> {
  const { path, method, body } = load;
  // wrk asks for no compression either.
  const sent = { "accept-encoding": "identity", authorization: AUTHORIZATION };
  const content = method === "POST"
    ? { body, headers: { ...sent, "content-type": "application/json" } }
    : { headers: sent };
  const url = `http://127.0.0.1:${port}${path.replace("{id}", "1")}`;
  const response = await fetch(url, { method, ...content });
  const text = await response.text();
  assert.equal(response.status, load.status, `The server answers ${path} with another status: ${text}`);
  // Sorted, because the order of different headers has no meaning.
  const own = [...response.headers].filter(([name]) => !OF_THE_HOST.has(name)).sort();
  return { status: response.status, headers: own, body: text };
}

/** Checks that the servers give the same body to a load of GET. Each POST gets another pet. */
export async function checkBodies(servers: readonly Port[], load: Load, { body }: StoredResponse): Promise<void> {
  for (const server of servers) {
    const response = await readResponse(server, load);
    if (load.method === "GET") assert.equal(response.body, body, `A server answers ${load.path} with another body`);
  }
}

/** Checks that the limit sends exactly this response. */
export async function checkLimit(server: Port, load: Load, expected: StoredResponse): Promise<void> {
  const given = await readResponse(server, load);
  if (load.method === "GET") assert.deepEqual(given, expected, "The limit sends another response");
}
