/**
 * The limit: the bare server with copies of the petstore's responses. In a case with many resources it sends them in turn,
 * for any path, because a look-up would be work.
 */

import { readFileSync } from "node:fs";
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
  /**
   * The parts of the request that it reads before it answers:
   * `head` is the URL, the method and the headers of a key and an entity tag; `json` is the headers of a POST and the
   * body as JSON; with `pet`, it reads the same and answers with the pet that it has read, and a new id.
   */
  reads: "nothing" | "head" | "body" | "json" | "pet";
}

const { responses: path, reads } = readSettings<LimitSettings>();
const responses: StoredResponse[] = JSON.parse(readFileSync(path, "utf8"));
// Deno creates a Response faster from a record of headers than from pairs.
await listen(
  createHandler(
    responses.map(({ status, headers, body }) => ({ body, init: { status, headers: Object.fromEntries(headers) } })),
  ),
);

function createHandler(ready: readonly { body: string; init: ResponseInit }[]): FetchHandler {
  const [first] = ready;
  if (first === undefined) throw new Error("The limit needs a response to send");
  if (reads === "head") return (request) => new Response(first.body, readHead(request) ? first.init : {});
  if (reads === "json") return async (request) => new Response(first.body, await readJson(request) ? first.init : {});
  if (reads === "pet") return createPets(first.init);
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

/** Whether there is a key. The comparisons keep the engine from optimising the other reads away. */
function readHead({ headers, url, method }: Request): boolean {
  return headers.get("authorization") !== null && headers.get("if-none-match") === null && url !== "" && method !== "";
}

function createPets(init: ResponseInit): FetchHandler {
  let id = 0;
  return async (request) => {
    const pet = await readJson(request);
    if (!pet) return new Response(null, { status: 400 });
    const body = `{"id":${++id},"name":${
      JSON.stringify(pet.name)
    },"categoryId":${pet.categoryId},"status":"available"}`;
    return new Response(body, { ...init, headers: { ...init.headers, location: `/v1/pets/${id}` } });
  };
}

const JSON_HEADERS = ["authorization", "content-type", "content-encoding", "content-length", "idempotency-key"];

/** The body, if there is a key, and JSON. */
async function readJson(request: Request): Promise<{ name: string; categoryId: number } | undefined> {
  const values = JSON_HEADERS.map((name) => request.headers.get(name));
  const body = JSON.parse(new TextDecoder().decode(await request.arrayBuffer()));
  const isWhole = values[0] !== null && request.url !== "" && request.method !== "" && typeof body === "object";
  return isWhole ? body : undefined;
}
