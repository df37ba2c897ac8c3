/** Bytes that are not a request. A server must refuse them, by 400 or by closing, and go on. */

import fc from "fast-check";
import type { Malformed } from "../request.ts";
import { KEY } from "../settings.ts";
import { weighted } from "./weighted.ts";

const PET = '{"name":"Ghost","categoryId":7}';
const FIELDS = `Host: petstore.test\r\nAuthorization: Bearer ${KEY}\r\n`;

const get = (fields: string): string => `GET /v1/pets HTTP/1.1\r\n${FIELDS}${fields}\r\n`;
const post = (fields: string, body: string): string =>
  `POST /v1/pets HTTP/1.1\r\n${FIELDS}Content-Type: application/json\r\n${fields}\r\n${body}`;
const line = (line: string): string => `${line}\r\n${FIELDS}\r\n`;
const chunked = (body: string): string => post("Transfer-Encoding: chunked\r\n", body);

/** Each is sent whole, and the sending side closes. One byte for each character. */
const CASES: Record<string, string> = {
  "no version": line("GET /v1/pets"),
  "another version": line("GET /v1/pets HTTP/7.3"),
  "another protocol": line("GET /v1/pets SPDY/1.1"),
  "TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  "a space in the target": line("GET /v1/pets ?limit=1 HTTP/1.1"),
  "two spaces": line("GET  /v1/pets HTTP/1.1"),
  "a NUL in the target": line("GET /v1/pets\0 HTTP/1.1"),
  "a target that is not UTF-8": line("GET /v1/pets/\xff HTTP/1.1"),
  "a relative target": line("GET v1/pets HTTP/1.1"),
  "CONNECT with a path": line("CONNECT /v1/pets HTTP/1.1"),
  "no target": line("GET HTTP/1.1"),
  "GET *": line("GET * HTTP/1.1"),
  "a method that is not a token": line("G(T /v1/pets HTTP/1.1"),
  "a method beyond ASCII": line("G\xc3\x89T /v1/pets HTTP/1.1"),
  "a header without colon": get("X\r\n"),
  "a header without name": get(": x\r\n"),
  "a space before the colon": get("X : x\r\n"),
  "a folded header": get("X: a\r\n b\r\n"),
  "a NUL in a header": get("X: a\0b\r\n"),
  "a CR in a header": get("X: a\rb\r\n"),
  "a header name beyond ASCII": get("X\xe9: a\r\n"),
  "two Host headers": get("Host: a\r\n"),
  "5000 headers": get("X: a\r\n".repeat(5000)),
  "half a head": `GET /v1/pets HTTP/1.1\r\n${FIELDS}`,
  "half a request line": "GET /v1/pe",
  "two lengths": post(`Content-Length: ${PET.length}\r\nContent-Length: 3\r\n`, PET),
  "a negative length": post("Content-Length: -1\r\n", PET),
  "a length with a sign": post(`Content-Length: +${PET.length}\r\n`, PET),
  "a length that is not a number": post("Content-Length: x\r\n", PET),
  "a length beyond 2^64": post("Content-Length: 18446744073709551617\r\n", PET),
  "a length and chunks": post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", `1f\r\n${PET}\r\n0\r\n\r\n`),
  "another coding": post("Transfer-Encoding: gzip\r\n", PET),
  "chunked, and then something else": post("Transfer-Encoding: chunked, identity\r\n", `1f\r\n${PET}\r\n0\r\n\r\n`),
  "a body that is cut short": post(`Content-Length: ${PET.length + 1}\r\n`, PET),
  "a chunk that is cut short": chunked(`20\r\n${PET}`),
  "a chunk that is too long": chunked(`1e\r\n${PET}\r\n0\r\n\r\n`),
  "a chunk size that is not a number": chunked(`zz\r\n${PET}\r\n0\r\n\r\n`),
  "a chunk size beyond 2^64": chunked(`1${"0".repeat(16)}f\r\n${PET}\r\n0\r\n\r\n`),
  "chunks without end": chunked(`1f\r\n${PET}\r\n`),
};

/** Random bytes, which are hardly ever a request. */
const NOISE = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes): Malformed => ({
  what: "random bytes",
  bytes: Uint8Array.from([...bytes, 13, 10, 13, 10]),
}));

export const MALFORMED_CASES: readonly Malformed[] = Object.entries(CASES).map(([what, text]) => ({
  what,
  bytes: Uint8Array.from(text, (character) => character.charCodeAt(0)),
}));

export const MALFORMED: fc.Arbitrary<Malformed> = weighted([9, MALFORMED_CASES], [1, NOISE]);
