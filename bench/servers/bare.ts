/**
 * The limit: the bare server of a runtime, `Deno.serve` or `node:http`. It reads what any service of
 * this kind must read: the method, the URL, the key, and the body of a POST as JSON. It answers with
 * the responses that the petstore at another port gives to the requests of the loads.
 */

import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { AUTHORIZATION, type BenchPet, requestTo } from "../catalogue.ts";
import type { Load } from "../load/wrk.ts";
import { listen, listenOnNode, readSettings } from "./host.ts";

interface StoredResponse {
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
for (const { path, body } of loads) {
  const response = await fetch(requestTo(`http://127.0.0.1:${port}${path}`, body));
  const headers = [...response.headers].filter(([name]) => !OF_THE_HOST.includes(name));
  const { status } = response;
  stored.set((body ? "POST" : "GET") + path, {
    status,
    headers: Object.fromEntries(headers),
    body: await response.text(),
  });
}

if ("Deno" in globalThis) listen(answer);
else listenOnNode(createServer(answerOnNode));

/** Sends copies, each a new `Response`. */
function answer(request: Request): Response | Promise<Response> {
  const { headers, method, url } = request;
  if (headers.get("authorization") !== AUTHORIZATION) return new Response(null, { status: 401 });
  const found = stored.get(method + url.slice(url.indexOf("/", "http://".length)))!;
  return method === "POST" ? create(request, found) : new Response(found.body, found);
}

async function create(request: Request, found: StoredResponse): Promise<Response> {
  if (request.headers.get("content-type") !== "application/json") return new Response(null, { status: 415 });
  const created = withNewPet(found, new TextDecoder().decode(await request.arrayBuffer()));
  return new Response(created.body, created);
}

function answerOnNode(request: IncomingMessage, response: ServerResponse): void {
  const { method = "", url = "", headers } = request;
  const found = stored.get(method + url)!;
  if (headers.authorization !== AUTHORIZATION) response.writeHead(401).end();
  else if (method === "POST") createOnNode(request, response, found);
  else send(response, found);
}

function createOnNode(request: IncomingMessage, response: ServerResponse, found: StoredResponse): void {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => send(response, withNewPet(found, Buffer.concat(pieces).toString())));
}

function send(response: ServerResponse, { status, headers, body }: StoredResponse): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}

let lastId = 0;

/** The response to a POST with this body: the pet that was read, and a new id. */
function withNewPet({ status, headers }: StoredResponse, text: string): StoredResponse {
  const pet: BenchPet = JSON.parse(text);
  const id = ++lastId;
  const body = JSON.stringify({ id, name: pet.name, categoryId: pet.categoryId, status: pet.status });
  return { status, headers: { ...headers, location: `/v1/pets/${id}` }, body };
}
