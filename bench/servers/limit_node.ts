/** The limit on Node: `node:http` alone. It reads and sends what limit.ts does. */

import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { AUTHORIZATION, type BenchPet } from "../catalogue.ts";
import { listenOnNode, readSettings } from "./host.ts";
import type { StoredResponse } from "./limit.ts";

const { status, headers: pairs, body } = readSettings<StoredResponse>();
const own = Object.fromEntries(pairs);
const headers = { ...own, "content-length": Buffer.byteLength(body) };
let lastId = 0;

listenOnNode(createServer((request, response) => {
  if (request.headers.authorization !== AUTHORIZATION) response.writeHead(401).end();
  else if (request.method === "POST") create(request, response);
  else response.writeHead(status, headers).end(body);
}));

function create(request: IncomingMessage, response: ServerResponse): void {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const pet: BenchPet = JSON.parse(Buffer.concat(pieces).toString());
    const id = ++lastId;
    const answer = JSON.stringify({ id, name: pet.name, categoryId: pet.categoryId, status: pet.status });
    const head = { ...own, location: `/v1/pets/${id}`, "content-length": Buffer.byteLength(answer) };
    response.writeHead(status, head).end(answer);
  });
}
