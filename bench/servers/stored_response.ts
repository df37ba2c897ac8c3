/** The responses that the bare servers send: those of the petstore at another port to the requests of the loads. */

import { type BenchPet, requestTo } from "../catalogue.ts";
import type { Load } from "../load/wrk.ts";
import { readSettings } from "./host.ts";

export interface StoredResponse {
  status: number;
  /** Runtimes create a response faster from a record of headers than from pairs. */
  headers: Record<string, string>;
  body: string;
}

/** Headers of the runtime or of the connection. */
const OF_THE_HOST = ["content-length", "date", "connection", "keep-alive"];

const { port, loads } = readSettings<{ port: number; loads: Load[] }>();

/** The responses by the method and the path. */
const stored = new Map<string, StoredResponse>();
for (const { path, body } of loads) stored.set((body ? "POST" : "GET") + path, await fetchResponse(path, body));

async function fetchResponse(path: string, body: string | undefined): Promise<StoredResponse> {
  const response = await fetch(requestTo(`http://127.0.0.1:${port}${path}`, body));
  const headers = [...response.headers].filter(([name]) => !OF_THE_HOST.includes(name));
  return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() };
}

export function findResponse(method: string, path: string): StoredResponse {
  return stored.get(method + path)!;
}

let lastId = 0;

/** The response to a POST with this body: the pet that was read, and a new id. */
export function answerCreate({ status, headers }: StoredResponse, body: string): StoredResponse {
  const pet: BenchPet = JSON.parse(body);
  const id = ++lastId;
  const answer = { id, name: pet.name, categoryId: pet.categoryId, status: pet.status };
  return { status, headers: { ...headers, location: `/v1/pets/${id}` }, body: JSON.stringify(answer) };
}
