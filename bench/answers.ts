/** Answers as clients get them: taken from the petstore for the limit to send, and compared before anything is measured. */

import assert from "node:assert/strict";
import type { ServerProcess } from "./load/server_process.ts";
import type { Load } from "./load/wrk.ts";
import type { StoredAnswer } from "./servers/limit.ts";

/** Headers that the runtime adds by itself, or that belong to the connection. */
const OF_THE_HOST = new Set(["content-length", "date", "connection", "keep-alive"]);

const JSON_TYPE = "application/json";

/** Asks for every path of a load once. */
export async function takeAnswers({ port }: ServerProcess, load: Load): Promise<StoredAnswer[]> {
  const answers: StoredAnswer[] = [];
  for (const path of load.paths) answers.push(await ask(port, path, load));
  return answers;
}

/** Makes sure that a server answers with the status that is expected. */
export async function checkStatus(server: ServerProcess, load: Load): Promise<void> {
  for (const [i, { status, body }] of (await takeAnswers(server, load)).entries()) {
    assert.equal(status, load.status, `${load.paths[i]} is answered with another status: ${body}`);
  }
}

/** Makes sure that a server answers with the status that is expected, and with these bodies. */
export async function checkBodies(server: ServerProcess, load: Load, expected: readonly StoredAnswer[]): Promise<void> {
  for (const [i, answer] of (await takeAnswers(server, load)).entries()) {
    assert.equal(answer.status, load.status, `${load.paths[i]} is answered with another status`);
    assert.equal(answer.body, expected[i]?.body, `${load.paths[i]} is answered with another body`);
  }
}

/** Makes sure that the limit sends these very answers. It sends them in turn, beginning anywhere. */
export async function checkLimit(server: ServerProcess, load: Load, expected: readonly StoredAnswer[]): Promise<void> {
  const given = await takeAnswers(server, load);
  assert.deepEqual(given.map(canonical).sort(), expected.map(canonical).sort(), "The limit sends other answers");
}

function canonical(answer: StoredAnswer): string {
  return JSON.stringify(answer);
}

async function ask(port: number, path: string, { method, headers, body }: Load): Promise<StoredAnswer> {
  // Uncompressed, as wrk asks for it.
  const sent = { "accept-encoding": "identity", ...headers };
  const content = method === "POST" ? { body, headers: { ...sent, "content-type": JSON_TYPE } } : { headers: sent };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...content });
  // Names are sorted: the order of headers of different names says nothing.
  const own = [...response.headers].filter(([name]) => !OF_THE_HOST.has(name)).sort();
  return { status: response.status, headers: own, body: await response.text() };
}

/** The path of the next page, or `undefined` on the last. */
export function nextPath({ headers }: StoredAnswer): string | undefined {
  const link = headers.find(([name]) => name === "link")?.[1];
  return /^<([^>]*)>; rel="next"$/.exec(link ?? "")?.[1];
}

/** The paths of all pages from this one on. */
export async function walk(server: ServerProcess, first: Load, pages = Infinity): Promise<string[]> {
  const paths: string[] = [];
  for (let path = first.paths[0]; path !== undefined && paths.length < pages;) {
    paths.push(path);
    const [answer] = await takeAnswers(server, { ...first, paths: [path] });
    path = answer && nextPath(answer);
  }
  return paths;
}
