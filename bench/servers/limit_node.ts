/** The limit on Node: `node:http` alone. It reads and sends what limit.ts does. */

import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { AUTHORIZATION } from "../catalogue.ts";
import { listenOnNode } from "./host.ts";
import { answerCreate, findResponse, learnResponse, type StoredResponse } from "./stored_response.ts";

listenOnNode(createServer((request, response) => {
  const { method = "", url = "", headers } = request;
  const known = findResponse(method, url);
  if (headers.authorization !== AUTHORIZATION) response.writeHead(401).end();
  else if (known === undefined) learn(request, response);
  else if (method === "POST") create(request, response, known);
  else respond(response, known);
}));

function respond(response: ServerResponse, { status, headers, body }: StoredResponse): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}

async function learn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url = "" } = request;
  respond(response, await learnResponse(method, url, await text(request)));
}

function create(request: IncomingMessage, response: ServerResponse, known: StoredResponse): void {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => respond(response, answerCreate(known, Buffer.concat(pieces).toString())));
}
