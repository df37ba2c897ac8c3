/**
 * The limit: the bare server of a runtime, which reads what any service of this kind must read: the method, the URL, the key, and
 * the body of a POST as JSON. It answers with copies of a response of the petstore, each a new `Response`; that to a POST has the pet
 * that was read, and a new id.
 */

import { AUTHORIZATION, type BenchPet } from "../catalogue.ts";
import { listen, readSettings } from "./host.ts";

/** A response of the petstore. */
export interface StoredResponse {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

const { status, headers: pairs, body } = readSettings<StoredResponse>();
// Deno creates a Response faster from a record of headers than from pairs.
const init = { status, headers: Object.fromEntries(pairs) };
let lastId = 0;

await listen((request) => {
  const { headers, method, url } = request;
  if (headers.get("authorization") !== AUTHORIZATION || url === "") return new Response(null, { status: 401 });
  return method === "POST" ? create(request) : new Response(body, init);
});

async function create(request: Request): Promise<Response> {
  if (request.headers.get("content-type") !== "application/json") return new Response(null, { status: 415 });
  const pet: BenchPet = JSON.parse(new TextDecoder().decode(await request.arrayBuffer()));
  const id = ++lastId;
  const answer = { id, name: pet.name, categoryId: pet.categoryId, status: pet.status };
  const headers = { ...init.headers, location: `/v1/pets/${id}` };
  return new Response(JSON.stringify(answer), { status, headers });
}
