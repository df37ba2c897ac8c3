/** A server of raw bytes on TCP, for every runtime. */

import type { Buffer } from "node:buffer";
import { createServer } from "node:net";
import { withListening } from "./listening.ts";

/**
 * The bytes that answer a request, before the connection ends; `undefined` leaves it open and
 * silent, an array leaves it open.
 */
export type Script = (request: string, number: number) => string | [string] | undefined;

/** What a scripted server has seen. */
export interface Scripted {
  origin: string;
  /** Whole requests, as text. */
  requests: string[];
}

/** Serves while `use` runs. Requests are numbered from 0. */
export async function withScript<T>(script: Script, use: (server: Scripted) => Promise<T>): Promise<T> {
  const requests: string[] = [];
  const server = createServer((socket) => {
    let received = "";
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      received += bytes.toString("latin1");
      if (!isWhole(received)) return;
      const answer = script(received, requests.push(received) - 1);
      received = "";
      if (typeof answer === "string") socket.end(answer);
      else if (answer) socket.write(answer[0]);
    });
  });
  return await withListening(server, (port) => use({ origin: `http://127.0.0.1:${port}`, requests }));
}

function isWhole(request: string): boolean {
  const end = request.indexOf("\r\n\r\n");
  if (/^transfer-encoding: chunked/im.test(request)) return request.endsWith("\r\n0\r\n\r\n");
  const [, length = 0] = /^content-length: (\d+)/im.exec(request) ?? [];
  return end >= 0 && request.length >= end + 4 + Number(length);
}

/** A response with its length. */
export function response(status: number, body: string, fields: Record<string, string> = {}): string {
  const lines = Object.entries({ "content-type": "application/json", "content-length": body.length, ...fields })
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Status\r\n${lines.join("")}connection: close\r\n\r\n${body}`;
}

/** The value of a field of a request; `undefined` without it. */
export function fieldOf(request: string | undefined, name: string): string | undefined {
  const line = request?.split("\r\n").find((line) => line.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}
