/** Request headers, right and wrong, that HTTP can carry. malformed.ts has the others. */

import fc from "fast-check";
import type { Header } from "../prediction.ts";
import { KEY } from "../model.ts";
import { type Choice, weighted } from "./weighted.ts";

/** The right key in forms that are allowed. A character stands for one byte, because HTTP sends obs-text unchanged. */
const RIGHT_KEYS = [`bearer ${KEY}`, `BEARER  ${KEY}`, `bEaReR   ${KEY}`, `Bearer ${KEY} `, ` Bearer ${KEY}\t`];
const WRONG_KEYS = ["", "Bearer", "Bearer ", `Bearer\t${KEY}`, `Bearer ${KEY} x`, `Bearer ${KEY},`, `Bearer${KEY}`]
  .concat(
    `Bearer ${KEY.toUpperCase()}`,
    `Bearer ${KEY.slice(0, -1)}`,
    `Bearer ${KEY}0`,
    `Basic ${btoa(`:${KEY}`)}`,
    KEY,
  )
  .concat(`Digest ${KEY}`, `Bearer "${KEY}"`, `Bearer ${KEY}\xa0`, "Bearer schl\xfcssel", `Bearer ${"k".repeat(5000)}`)
  .concat("Bearer undefined", `Bearer: ${KEY}`, `Bearer sha256:${"0".repeat(64)}`);

/** The Authorization headers of a request: usually one, and the right one. */
export const AUTHORIZATION: fc.Arbitrary<Header[]> = weighted<string[]>(
  [30, [[`Bearer ${KEY}`]]],
  [2, RIGHT_KEYS.map((value) => [value])],
  [2, WRONG_KEYS.map((value) => [value])],
  [1, fc.constantFrom([], [`Bearer ${KEY}`, `Bearer ${KEY}`], ["", `Bearer ${KEY}`])],
).map((values) => values.map((value): Header => ["Authorization", value]));

const RIGHT_TYPES = ["application/json", "APPLICATION/JSON", "application/json;charset=utf-8", "application/json ; x=y"]
  .concat('Application/Json;profile="a;b"', "application/json;", "application/json\t;charset=latin1");
const WRONG_TYPES = [
  "",
  "text/json",
  "application/jsonx",
  "application/problem+json",
  "text/plain",
  "application /json",
]
  .concat("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "*/*", "json", "application/", ";")
  .concat("application/json, application/json", "application/json x", "application/json\xa0");

/** Makes at most one header, with weighted values. */
function perhaps(name: string, ...choices: Choice<string | null>[]): fc.Arbitrary<Header[]> {
  return weighted(...choices).map((value): Header[] => value === null ? [] : [[name, value]]);
}

export const CONTENT_TYPE: fc.Arbitrary<Header[]> = perhaps(
  "Content-Type",
  [3, [null]],
  [20, ["application/json"]],
  [2, RIGHT_TYPES],
  [2, WRONG_TYPES],
);

export const CONTENT_ENCODING: fc.Arbitrary<Header[]> = perhaps(
  "Content-Encoding",
  [40, [null]],
  [1, ["identity", "Identity", "gzip", "br", "", "identity, gzip", "deflate", "x"]],
);

/** The tag of the target and parts of lists, joined at random. */
const TAG_PARTS = ["{etag}", "{etag}", '"a-b"', 'W/"a-b"', ", ", ",", "\t", '"', "W/", "x", "*", ";q=1"];

export const IF_NONE_MATCH: fc.Arbitrary<Header[]> = perhaps(
  "If-None-Match",
  [6, [null]],
  [2, ["{etag}", "*", '"a-b", {etag}', '"x" ,\t{etag} , ,']],
  [2, fc.array(fc.constantFrom(...TAG_PARTS), { maxLength: 5 }).map((parts) => parts.join(""))],
);

/** Headers that other servers obey. */
const NOISE: Header[] = [
  ["Accept", "text/html;q=0.9"],
  ["Origin", "https://evil.example"],
  ["X-HTTP-Method-Override", "DELETE"],
  ["X-Forwarded-Prefix", "/evil"],
  ["If-Match", '"a-b"'],
  ["If-Modified-Since", "Thu, 05 Dec 2030 00:00:00 GMT"],
  ["Range", "bytes=0-1"],
  ["X-Latin", "\xe9\xff"],
  ["X-Long", "x".repeat(3000)],
  ["__proto__", "x"],
];

export const EXTRA: fc.Arbitrary<Header[]> = weighted<Header[]>(
  [5, [[]]],
  [1, fc.array(fc.constantFrom(...NOISE), { maxLength: 3 })],
);

const LONG = "k".repeat(255);

/** What a structured string, a bare key and its faults are made of. */
const KEY_CHARACTERS = fc.constantFrom('"', '"', "\\", "a", "b", " ", ",", ";", "\xe9", "\t");

/** There are few keys, so that they repeat. Some are the same key, bare and quoted. */
export const IDEMPOTENCY_KEY: fc.Arbitrary<Header[]> = perhaps(
  "Idempotency-Key",
  [12, [null]],
  [8, ["a", '"a"', "b"]],
  [1, ["1", '"1"', " a", LONG, `"${LONG}"`, `${LONG}k`, `"${LONG}k"`, '"a";p=1', '"a"; p;q="x"', '"a";p=']],
  [3, fc.string({ unit: KEY_CHARACTERS, maxLength: 6 })],
);
