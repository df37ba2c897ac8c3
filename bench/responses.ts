/** Responses as a client gets them. The limit sends copies of the petstore's, and all are compared before a measurement. */

import assert from "node:assert/strict";
import type { ServerProcess } from "./load/server_process.ts";
import type { Load } from "./load/wrk.ts";
import type { StoredResponse } from "./servers/limit.ts";

type Port = Pick<ServerProcess, "port">;

/** Headers of the runtime or of the connection. */
const OF_THE_HOST = new Set(["content-length", "date", "connection", "keep-alive"]);

/** Requests every path of a load once. */
export async function readResponses({ port }: Port, load: Load): Promise<StoredResponse[]> {
  const responses: StoredResponse[] = [];
  for (const path of load.paths) responses.push(await ask(port, path.replace("{id}", "1"), load));
  return responses;
}

/** Checks that a server answers with the expected status. */
export async function checkStatus(server: Port, load: Load): Promise<void> {
  for (const [i, { status, body }] of (await readResponses(server, load)).entries()) {
    assert.equal(status, load.status, `The server answers ${load.paths[i]} with another status: ${body}`);
  }
}

/** Checks that a server answers with the expected status and these bodies. */
export async function checkBodies(
  server: Port,
  load: Load,
  expected: readonly StoredResponse[],
): Promise<void> {
  for (const [i, response] of (await readResponses(server, load)).entries()) {
    assert.equal(response.status, load.status, `The server answers ${load.paths[i]} with another status`);
    assert.equal(response.body, expected[i]?.body, `The server answers ${load.paths[i]} with another body`);
  }
}

/** Checks that the limit sends exactly these responses. It sends them in turn, from any of them on. */
export async function checkLimit(
  server: Port,
  load: Load,
  expected: readonly StoredResponse[],
): Promise<void> {
  const given = await readResponses(server, load);
  const sorted = (responses: readonly StoredResponse[]) => responses.map((response) => JSON.stringify(response)).sort();
  assert.deepEqual(sorted(given), sorted(expected), "The limit sends other responses");
}

async function ask(port: number, path: string, { method, headers, body }: Load): Promise<StoredResponse> {
  // wrk asks for no compression either.
  const sent = { "accept-encoding": "identity", ...headers };
  const content = method === "POST"
    ? { body, headers: { ...sent, "content-type": "application/json" } }
    : { headers: sent };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...content });
  // Sorted, because the order of different headers has no meaning.
  const own = [...response.headers].filter(([name]) => !OF_THE_HOST.has(name)).sort();
  return { status: response.status, headers: own, body: await response.text() };
}

/** The path of the next page, or `undefined` on the last page. */
function nextPath({ headers }: StoredResponse): string | undefined {
  const link = headers.find(([name]) => name === "link")?.[1];
  return /^<([^>]*)>; rel="next"$/.exec(link ?? "")?.[1];
}

/** The paths of a page and of all that follow. */
export async function walk(server: Port, first: Load): Promise<string[]> {
  const paths: string[] = [];
  for (let path = first.paths[0]; path !== undefined;) {
    paths.push(path);
    const [response] = await readResponses(server, { ...first, paths: [path] });
    path = response && nextPath(response);
  }
  return paths;
}
