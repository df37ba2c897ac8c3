/**
 * The limit: the bare server of a runtime, which reads what any service of this kind must read: the method, the URL, the key, and
 * the body of a POST as JSON. It answers with copies of the petstore's responses, each a new `Response`; that of a POST has the pet
 * that was read, and a new id. In a case with many resources it sends them in turn, for any path, because a look-up would be work.
 */

import { readFileSync } from "node:fs";
import { AUTHORIZATION, type BenchPet } from "../catalogue.ts";
import { type FetchHandler, listen, readSettings } from "./host.ts";

/** A response of the petstore. */
export interface StoredResponse {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

export interface LimitSettings {
  /** A file with the responses, as JSON. */
  responses: string;
}

const { responses: path } = readSettings<LimitSettings>();
const responses: StoredResponse[] = JSON.parse(readFileSync(path, "utf8"));
// Deno creates a Response faster from a record of headers than from pairs.
const ready = responses.map(({ status, headers, body }) => ({
  body,
  init: { status, headers: Object.fromEntries(headers) },
}));
await listen(createHandler());

function createHandler(): FetchHandler {
  const [first] = ready;
  if (first === undefined) throw new Error("The limit needs a response to send");
  let turn = 0, id = 0;
  return (request) => {
    const { headers, method, url } = request;
    if (headers.get("authorization") !== AUTHORIZATION || url === "") return new Response(null, { status: 401 });
    if (method === "POST") return create(request, first.init, ++id);
    const { body, init } = ready[turn] ?? first;
    turn = turn + 1 < ready.length ? turn + 1 : 0;
    return new Response(body, init);
  };
}

async function create(
  request: Request,
  { status, headers }: { status: number; headers: Record<string, string> },
  id: number,
): Promise<Response> {
  if (request.headers.get("content-type") !== "application/json") return new Response(null, { status: 415 });
  const pet: BenchPet = JSON.parse(new TextDecoder().decode(await request.arrayBuffer()));
  const answer = { id, name: pet.name, categoryId: pet.categoryId, status: pet.status };
  return new Response(JSON.stringify(answer), { status, headers: { ...headers, location: `/v1/pets/${id}` } });
}
