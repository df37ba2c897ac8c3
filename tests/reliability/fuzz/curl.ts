/** Requests as shell lines for manual repetition. They need a POSIX shell and curl. */

import type { Draft, Malformed, Step } from "./request.ts";

export function formatCurl(step: Step, origin: string): string {
  return "bytes" in step ? formatMalformed(step, origin) : formatDraft(step, origin);
}

function formatDraft({ method, target, headers, body, framing }: Draft, origin: string): string {
  const words = ["curl -s -i", ...formatMethod(method, body !== undefined), ...headers.map(formatHeader)];
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  if (body === undefined) return [...words, ...formatTarget(target, origin)].join(" ");
  // What curl would add by itself.
  if (!given.has("content-type")) words.push("-H Content-Type:");
  if (framing === "pieces") words.push("-H 'Transfer-Encoding: chunked'");
  const text = plainText(body);
  words.push("-H Expect:", text === undefined ? "--data-binary @-" : `--data-raw ${quote(text)}`);
  const line = [...words, ...formatTarget(target, origin)].join(" ");
  return text === undefined ? `printf ${octal(body)} | ${line}` : line;
}

function formatMethod(method: string, hasBody: boolean): string[] {
  if (method === "GET" && !hasBody) return [];
  if (method !== "HEAD") return [`-X ${quote(method)}`];
  // With a body curl refuses -I, and without -I it waits for a body.
  return hasBody ? ["-X HEAD -m 1"] : ["-I"];
}

function formatHeader([name, value]: [string, string]): string {
  // A semicolon makes curl send an empty header.
  return `-H ${quote(value === "" ? `${name};` : `${name}: ${value}`, latin)}`;
}

/** curl sends a target unchanged that it would normally repair. */
function formatTarget(target: string, origin: string): string[] {
  const isPlain = /^\/[\w\-.~%/?&=+:]*$/.test(target) && !/\/\.\.?(\/|$|\?)/.test(target);
  return isPlain ? [quote(origin + target)] : [`--request-target ${quote(target)}`, quote(origin)];
}

/** telnet: sends bytes unchanged; only 0xff is doubled. */
function formatMalformed({ bytes }: Malformed, origin: string): string {
  return `printf ${octal(bytes)} | curl -s -m 5 ${quote(origin.replace(/^http:/, "telnet:"))}`;
}

function plainText(body: Uint8Array<ArrayBuffer>): string | undefined {
  const isPlain = body.every((byte) => byte >= 0x20 && byte < 0x7f);
  return isPlain ? new TextDecoder().decode(body) : undefined;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** A shell word. Bytes beyond ASCII, which a terminal would spoil, become escapes. */
function quote(text: string, encode = utf8): string {
  if (/^[\w\-.~%/:=,@+]+$/.test(text)) return text;
  if (/^[\x20-\x7e]*$/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `"$(printf ${octal(encode(text))})"`;
}

/** An argument of printf, in octal: many shells know no other escapes. */
function octal(bytes: Uint8Array): string {
  const escaped = Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    if (character === "%") return "%%";
    const isPlain = byte >= 0x20 && byte < 0x7f && character !== "'" && character !== "\\";
    return isPlain ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `'${escaped.join("")}'`;
}
