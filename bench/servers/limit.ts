/**
 * The limit: what the bare server does with the very bytes and headers of the petstore, and no thought. Where a case asks
 * for many resources it sends their answers in turn, whatever was asked for: to look one up would already be work.
 */

import { readFileSync } from "node:fs";
import { type FetchHandler, listen, readSettings } from "./host.ts";

/** An answer of the petstore, as it came over the wire. */
export interface StoredAnswer {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

/** What it can be told. */
export interface LimitSettings {
  /** A file with the answers, as JSON. */
  answers: string;
  /**
   * What of the request is read before answering: nothing; the URL, the method and the headers that a key and an
   * entity tag come in, as every service with keys has to; the body, as nobody who answers a POST can avoid; or, besides,
   * what a key and JSON come in, and the JSON.
   */
  reads: "nothing" | "head" | "body" | "json";
}

const { answers: path, reads } = readSettings<LimitSettings>();
const answers: StoredAnswer[] = JSON.parse(readFileSync(path, "utf8"));
// A record of headers: Deno makes a Response of one faster than of a list of pairs.
await listen(
  createHandler(
    answers.map(({ status, headers, body }) => ({ body, init: { status, headers: Object.fromEntries(headers) } })),
  ),
);

function createHandler(ready: readonly { body: string; init: ResponseInit }[]): FetchHandler {
  const [first] = ready;
  if (first === undefined) throw new Error("The limit needs an answer to send");
  if (reads === "head") return (request) => new Response(first.body, readHead(request) ? first.init : {});
  if (reads === "json") return async (request) => new Response(first.body, await readJson(request) ? first.init : {});
  if (reads === "body") {
    return async (request) => {
      await request.arrayBuffer();
      return new Response(first.body, first.init);
    };
  }
  if (ready.length === 1) return () => new Response(first.body, first.init);
  let turn = 0;
  return () => {
    const { body, init } = ready[turn] ?? first;
    turn = turn + 1 < ready.length ? turn + 1 : 0;
    return new Response(body, init);
  };
}

/** Whether there is a key; what else is read must not be optimised away, so it is looked at too. */
function readHead({ headers, url, method }: Request): boolean {
  return headers.get("authorization") !== null && headers.get("if-none-match") === null && url !== "" && method !== "";
}

const JSON_HEADERS = ["authorization", "content-type", "content-encoding", "content-length", "idempotency-key"];

/** Whether there are JSON and a key. */
async function readJson(request: Request): Promise<boolean> {
  const values = JSON_HEADERS.map((name) => request.headers.get(name));
  const body = JSON.parse(new TextDecoder().decode(await request.arrayBuffer()));
  return values[0] !== null && request.url !== "" && request.method !== "" && typeof body === "object";
}
