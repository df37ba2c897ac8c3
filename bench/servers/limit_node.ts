/**
 * The limit on Node: `node:http` alone. It checks the key, parses the body of a POST with `JSON.parse`, and sends the
 * petstore's response from memory.
 */

import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { AUTHORIZATION } from "../catalogue.ts";
import { listenOnNode, readSettings } from "./host.ts";
import type { LimitSettings, StoredResponse } from "./limit.ts";

const { responses: path } = readSettings<LimitSettings>();
const [stored]: StoredResponse[] = JSON.parse(readFileSync(path, "utf8"));
if (stored === undefined) throw new Error("The limit needs a response to send");
const { status, body } = stored;
const headers = { ...Object.fromEntries(stored.headers), "content-length": Buffer.byteLength(body) };

listenOnNode(createServer((request, response) => {
  if (request.headers.authorization !== AUTHORIZATION) response.writeHead(401).end();
  else if (request.method === "POST") readJson(request, response);
  else response.writeHead(status, headers).end(body);
}));

function readJson(request: IncomingMessage, response: ServerResponse): void {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const pet = JSON.parse(Buffer.concat(pieces).toString());
    if (typeof pet === "object") response.writeHead(status, headers).end(body);
    else response.writeHead(400).end();
  });
}
