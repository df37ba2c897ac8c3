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
  /** Whether to read the request's body before answering, as nobody who answers a POST can avoid. */
  readsBody: boolean;
}

const { answers: path, readsBody } = readSettings<LimitSettings>();
const answers: StoredAnswer[] = JSON.parse(readFileSync(path, "utf8"));
await listen(createHandler(answers.map(({ status, headers, body }) => ({ body, init: { status, headers } }))));

function createHandler(ready: readonly { body: string; init: ResponseInit }[]): FetchHandler {
  const [first] = ready;
  if (first === undefined) throw new Error("The limit needs an answer to send");
  if (readsBody) {
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
