/** Requests as lines for a shell, to be repeated by hand. They need nothing but a POSIX shell and curl. */

import type { Draft, Malformed, Step } from "./request.ts";

/** A line that sends the same bytes, as far as curl can, to a petstore at `origin`. */
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
  // With a body curl would not take -I, and without -I it waits for the body that does not come.
  return hasBody ? ["-X HEAD -m 1"] : ["-I"];
}

function formatHeader([name, value]: [string, string]): string {
  // A semicolon is how curl is told to send a header that is empty.
  return `-H ${quote(value === "" ? `${name};` : `${name}: ${value}`, latin)}`;
}

/** A target that curl would repair is sent as it is. */
function formatTarget(target: string, origin: string): string[] {
  const isPlain = /^\/[\w\-.~%/?&=+:]*$/.test(target) && !/\/\.\.?(\/|$|\?)/.test(target);
  return isPlain ? [quote(origin + target)] : [`--request-target ${quote(target)}`, quote(origin)];
}

/** curl has a protocol that sends bytes as they are; only 0xff is doubled. */
function formatMalformed({ bytes }: Malformed, origin: string): string {
  return `printf ${octal(bytes)} | curl -s -m 5 ${quote(origin.replace(/^http:/, "telnet:"))}`;
}

/** The text that a body is, if a command line can hold it. */
function plainText(body: Uint8Array<ArrayBuffer>): string | undefined {
  const isPlain = body.every((byte) => byte >= 0x20 && byte < 0x7f);
  return isPlain ? new TextDecoder().decode(body) : undefined;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** A word of a shell. Bytes beyond ASCII, which a terminal would spoil, are written as escapes. */
function quote(text: string, encode = utf8): string {
  if (/^[\w\-.~%/:=,@+]+$/.test(text)) return text;
  if (/^[\x20-\x7e]*$/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `"$(printf ${octal(encode(text))})"`;
}

/** An argument of printf: in octal, since the shell of many systems knows no other escapes. */
function octal(bytes: Uint8Array): string {
  const escaped = Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    if (character === "%") return "%%";
    const isPlain = byte >= 0x20 && byte < 0x7f && character !== "'" && character !== "\\";
    return isPlain ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `'${escaped.join("")}'`;
}
