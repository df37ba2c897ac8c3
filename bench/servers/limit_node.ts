/** The limit on Node: `node:http` alone. It reads and sends what limit.ts does. */

import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { AUTHORIZATION } from "../catalogue.ts";
import { listenOnNode } from "./host.ts";
import { answerCreate, findResponse, type StoredResponse } from "./stored_response.ts";

listenOnNode(createServer((request, response) => {
  const { method = "", url = "", headers } = request;
  if (headers.authorization !== AUTHORIZATION) response.writeHead(401).end();
  else if (method === "POST") create(request, response, findResponse(method, url));
  else respond(response, findResponse(method, url));
}));

function respond(response: ServerResponse, { status, headers, body }: StoredResponse): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}

function create(request: IncomingMessage, response: ServerResponse, stored: StoredResponse): void {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => respond(response, answerCreate(stored, Buffer.concat(pieces).toString())));
}
