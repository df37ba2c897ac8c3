/**
 * The responses that the bare servers send: those of the petstore at another port, which each server asks once for each address. The
 * response to a POST has the pet that was read, and a new id.
 */

import { AUTHORIZATION, type BenchPet } from "../catalogue.ts";
import { readSettings } from "./host.ts";

export interface StoredResponse {
  status: number;
  /** Runtimes create a response faster from a record of headers than from pairs. */
  headers: Record<string, string>;
  body: string;
}

/** Headers of the runtime or of the connection. */
const OF_THE_HOST = ["content-length", "date", "connection", "keep-alive"];

const { port } = readSettings<{ port: number }>();
const stored = new Map<string, StoredResponse>();
let lastId = 0;

/** The response to a request, if one like it has been sent before. */
export function findResponse(method: string, target: string): StoredResponse | undefined {
  return stored.get(method + target);
}

export async function learnResponse(method: string, target: string, body: string): Promise<StoredResponse> {
  const { pathname, search } = new URL(target, "http://localhost");
  // wrk asks for no compression either.
  const headers = { authorization: AUTHORIZATION, "accept-encoding": "identity", "content-type": "application/json" };
  const request = body === "" ? { method, headers } : { method, headers, body };
  const response = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, request);
  const own = [...response.headers].filter(([name]) => !OF_THE_HOST.includes(name));
  const learnt = { status: response.status, headers: Object.fromEntries(own), body: await response.text() };
  stored.set(method + target, learnt);
  return learnt;
}

/** The response to a POST with this body. */
export function answerCreate({ status, headers }: StoredResponse, body: string): StoredResponse {
  const pet: BenchPet = JSON.parse(body);
  const id = ++lastId;
  const answer = { id, name: pet.name, categoryId: pet.categoryId, status: pet.status };
  return { status, headers: { ...headers, location: `/v1/pets/${id}` }, body: JSON.stringify(answer) };
}
