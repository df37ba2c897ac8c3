import { Buffer } from "node:buffer";
import type { SeenResponse } from "../openapi_validator.ts";

export function concat(...parts: (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts.map((part) => typeof part === "string" ? Buffer.from(part) : part)));
}

/** Whether the runtime made it: 100 Continue, or 400 without a body to what `Deno.serve` cannot parse. No description has these. */
export function isMadeByRuntime({ status, headers, text }: SeenResponse): boolean {
  if (status === 100) return [...headers].length === 0;
  return [...headers.keys()].join() === "connection,content-length,date" && headers.get("connection") === "close" &&
    status === 400 && text === "";
}

/** A request line as `Deno.serve` reads it: it joins the Host header and the target to a URL and takes that apart. */
export function parseRequestLine(request: string | Uint8Array): { method: string; path: string } {
  const [head = ""] = Buffer.from(request).toString("latin1").split("\r\n\r\n", 1);
  const [method = "", target = ""] = head.split(/ |\r\n/, 2);
  const host = /^host:[ \t]*(.*)$/im.exec(head)?.[1] ?? "";
  const url = /^https?:\/\//i.test(target) ? target : `http://${host}${target}`;
  return { method, path: url.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#][^]*$/, "") };
}

export function parseHead(head: string): Pick<SeenResponse, "status" | "headers"> {
  const [statusLine = "", ...lines] = head.trimEnd().split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]), headers: new Headers(headers) };
}
